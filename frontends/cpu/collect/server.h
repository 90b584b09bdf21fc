// Server: the sockets between checked processes and a Collector.
//
// Bytes come in as the processes write them; whole messages go to the collector, and its reply to
// a race goes back. listen() opens an abstract Unix socket that every process started with its name
// in REDFLAG_SOCKET connects to; adopt() takes one connection that exists already. Who is at the
// other end is asked of the kernel, not of the message: only processes of this user are served, and
// the pid whose maps are read is that of the peer. A message that breaks the protocol ends its
// connection and nothing else.
//
// serve() returns after each round, so that the caller can look after its child; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "frontends/cpu/collect/collector.h"

namespace redflag::collect {

class Server {
 public:
  using Complain = std::function<void(std::string_view)>;  // one line, without its end

  Server(Collector& collector, Complain complain)
      : collector_(collector), complain_(std::move(complain)) {}
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // The value for REDFLAG_SOCKET: "@NAME".
  Result<std::string> listen();
  // Takes over a connected stream socket; the pid of its other end.
  Result<std::uint32_t> adopt(int fd);

  // Waits at most `milliseconds` (-1: for ever) for the sockets and for `also` (-1: none), serves
  // what came, and tells whether `also` can be read.
  bool serve(int also, int milliseconds);

  std::size_t connections() const { return connections_.size(); }
  std::vector<std::uint32_t> pids() const;                // of the processes that are connected
  std::uint64_t processes() const { return processes_; }  // that ever said hello
  // What the process gave to exit(), before findings changed it; nothing: it did not say.
  std::optional<int> exit_status(std::uint32_t pid) const;

 private:
  struct Connection {
    int fd = -1;
    std::uint32_t pid = 0;
    std::vector<std::byte> bytes;  // received and not yet understood
    bool greeted = false;
    bool open = true;
  };

  void accept_all();
  void receive(Connection& connection);
  void understand(Connection& connection);
  void handle(Connection& connection, const wire::MessageHeader& header,
              std::span<const std::byte> body);
  void refuse(Connection& connection, const std::string& why);
  void sweep();

  Collector& collector_;
  Complain complain_;
  int listening_ = -1;
  std::vector<Connection> connections_;
  std::map<std::uint32_t, int> statuses_;
  std::uint64_t processes_ = 0;
};

}  // namespace redflag::collect
