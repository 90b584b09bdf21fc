#include "frontends/cpu/collect/server.h"

#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "frontends/cpu/collect/between.h"

namespace redflag::collect {
namespace {

// Longer than any process can have connections waiting: thousands may start at once.
constexpr int kBacklog = 1024;
constexpr std::size_t kReceive = 64 << 10;

std::string reason() {
  return std::strerror(errno);
}

// The peer as the kernel knows it; for a socket pair, who made the pair.
std::optional<ucred> peer_of(int fd) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer;
}

bool send_all(int fd, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t sent = ::send(fd, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

}  // namespace

Server::~Server() {
  for (const Connection& connection : connections_) ::close(connection.fd);
  if (listening_ >= 0) ::close(listening_);
}

Result<std::string> Server::listen() {
  // Random: names are shared by all users of the machine, and a guessed one could be taken first.
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof(random), 0) != sizeof(random)) random = 0;
  char name[64];
  std::snprintf(name, sizeof(name), "redflag-%d-%016llx", static_cast<int>(::getpid()),
                static_cast<unsigned long long>(random));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // A first byte of zero: no file, and gone with the last descriptor.
  std::memcpy(address.sun_path + 1, name, std::strlen(name));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + std::strlen(name));
  listening_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listening_ < 0 || ::bind(listening_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listening_, kBacklog) != 0) {
    return fail("needed: a Unix socket for the program to report to\nfound: " + reason());
  }
  return "@" + std::string(name);
}

Result<std::uint32_t> Server::adopt(int fd) {
  const std::optional<ucred> peer = peer_of(fd);
  if (!peer) {
    return fail("descriptor " + std::to_string(fd) +
                ": expected a connected Unix socket, found: " + reason());
  }
  Connection connection;
  connection.fd = fd;
  connection.pid = static_cast<std::uint32_t>(peer->pid);
  connections_.push_back(std::move(connection));
  return connections_.back().pid;
}

std::vector<std::uint32_t> Server::pids() const {
  std::vector<std::uint32_t> all;
  for (const Connection& connection : connections_) all.push_back(connection.pid);
  return all;
}

std::optional<int> Server::exit_status(std::uint32_t pid) const {
  const auto it = statuses_.find(pid);
  return it == statuses_.end() ? std::nullopt : std::optional(it->second);
}

bool Server::serve(int also, int milliseconds) {
  std::vector<pollfd> polled;
  polled.push_back({also, POLLIN, 0});
  polled.push_back({listening_, POLLIN, 0});
  for (const Connection& connection : connections_) polled.push_back({connection.fd, POLLIN, 0});
  if (::poll(polled.data(), polled.size(), milliseconds) <= 0) return false;
  for (std::size_t i = 2; i < polled.size(); ++i) {
    if (polled[i].revents != 0) receive(connections_[i - 2]);
  }
  sweep();
  if ((polled[1].revents & POLLIN) != 0) accept_all();
  return polled[0].revents != 0;
}

void Server::accept_all() {
  for (;;) {
    const int fd = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      if (errno == EMFILE || errno == ENFILE) {
        // The process waits in the queue until another one ends: no need to spin for it.
        ::poll(nullptr, 0, 10);
      }
      return;
    }
    const std::optional<ucred> peer = peer_of(fd);
    if (!peer || (peer->uid != ::getuid() && peer->uid != 0)) {
      ::close(fd);
      continue;
    }
    Connection connection;
    connection.fd = fd;
    connection.pid = static_cast<std::uint32_t>(peer->pid);
    connections_.push_back(std::move(connection));
  }
}

void Server::receive(Connection& connection) {
  const std::size_t before = connection.bytes.size();
  connection.bytes.resize(before + kReceive);
  const ssize_t got =
      ::recv(connection.fd, connection.bytes.data() + before, kReceive, MSG_DONTWAIT);
  const int fault = errno;
  connection.bytes.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (got < 0 && (fault == EAGAIN || fault == EINTR)) return;
  if (got <= 0) {
    // A process that was killed in the middle of a message is no fault of the message.
    connection.open = false;
    return;
  }
  understand(connection);
}

void Server::understand(Connection& connection) {
  std::size_t at = 0;
  while (connection.open) {
    const std::size_t left = connection.bytes.size() - at;
    wire::MessageHeader header;
    if (left < sizeof(header)) break;
    std::memcpy(&header, connection.bytes.data() + at, sizeof(header));
    if (header.magic != wire::kMagic) {
      refuse(connection, "what it sends is not Redflag's protocol");
    } else if (header.size > wire::kMaxMessage) {
      refuse(connection, "it announced a message of " + std::to_string(header.size) +
                             " bytes, more than " + std::to_string(wire::kMaxMessage));
    } else if (left < sizeof(header) + header.size) {
      break;
    } else {
      at += sizeof(header);
      // Of a process in another pid namespace the kernel says 0.
      if (connection.pid == 0) connection.pid = header.pid;
      handle(connection, header, std::span(connection.bytes).subspan(at, header.size));
      at += header.size;
    }
  }
  connection.bytes.erase(connection.bytes.begin(),
                         connection.bytes.begin() + static_cast<std::ptrdiff_t>(at));
}

void Server::handle(Connection& connection, const wire::MessageHeader& header,
                    std::span<const std::byte> body) {
  if (header.kind != wire::Kind::kHello && !connection.greeted) {
    return refuse(connection, "it did not say hello first");
  }
  switch (header.kind) {
    case wire::Kind::kHello:
      if (!connection.greeted) ++processes_;
      connection.greeted = true;
      connection.open = collector_.on_hello(connection.pid, body);
      return;
    case wire::Kind::kRace: {
      const wire::Reply reply = collector_.on_race(connection.pid, body);
      // Gone while we looked: its end will be read next.
      (void)send_all(connection.fd, &reply, sizeof(reply));
      return;
    }
    case wire::Kind::kMet: {
      const wire::Reply reply = collector_.on_met(connection.pid, body);
      (void)send_all(connection.fd, &reply, sizeof(reply));
      return;
    }
    case wire::Kind::kStack: {
      const wire::Reply reply = collector_.on_stack(connection.pid, body);
      (void)send_all(connection.fd, &reply, sizeof(reply));
      return;
    }
    case wire::Kind::kWords:
      return collector_.on_words(connection.pid, body);
    case wire::Kind::kQuestion: {
      const wire::Answer answer = collector_.on_question(connection.pid, body);
      (void)send_all(connection.fd, &answer, sizeof(answer));
      return;
    }
    case wire::Kind::kBetween: {
      wire::Between between;
      if (body.size() != sizeof(between)) return refuse(connection, "it sent half a message");
      std::memcpy(&between, body.data(), sizeof(between));
      Result<std::vector<std::byte>> file = read_between(connection.pid, between.fd);
      if (!file && complain_) complain_(file.error().message);
      const wire::Reply reply =
          collector_.on_between(connection.pid, file ? *file : std::vector<std::byte>{});
      (void)send_all(connection.fd, &reply, sizeof(reply));
      return;
    }
    case wire::Kind::kBye: {
      wire::Bye bye;
      if (body.size() >= sizeof(bye.status)) {
        std::memcpy(&bye.status, body.data(), sizeof(bye.status));
        statuses_[connection.pid] = static_cast<int>(bye.status & 0xff);
      }
      collector_.on_bye(connection.pid, body);
      return;
    }
  }
  refuse(connection, "it sent a message of unknown kind " +
                         std::to_string(static_cast<std::uint32_t>(header.kind)));
}

void Server::refuse(Connection& connection, const std::string& why) {
  connection.open = false;
  if (complain_) {
    complain_("process " + std::to_string(connection.pid) + ": " + why +
              "; it is no longer listened to");
  }
}

void Server::sweep() {
  std::erase_if(connections_, [this](const Connection& connection) {
    if (connection.open) return false;
    ::close(connection.fd);
    if (connection.greeted) collector_.on_closed(connection.pid);
    return true;
  });
}

}  // namespace redflag::collect
