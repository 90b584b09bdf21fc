// The load for servers: client memcached PORT REQUESTS, client dns PORT QUERIES.
//
// One thread keeps several connections busy at once, so that the server's threads have something to
// do side by side. What is asked is always the same, and each reply is compared with the only right
// one; the first wrong one ends the client with status 1. DNS needs somebody whom the server can
// ask for names that it does not know yet: the client answers on the port behind the server's, in
// the same loop.
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "client: %s\n", why.c_str());
  std::exit(1);
}

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int connected(int kind, int port) {
  const int fd = socket(AF_INET, kind, 0);
  const sockaddr_in address = loopback(port);
  if (fd < 0 || connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    fail("cannot connect to port " + std::to_string(port) + ": " + std::strerror(errno));
  }
  const timeval limit{60, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  return fd;
}

// One connection to memcached: what it asks next, and the only right answer.
class Requests {
 public:
  Requests(int port, int number)
      : fd_(connected(SOCK_STREAM, port)),
        number_(number),
        random_(static_cast<unsigned>(number)) {}
  ~Requests() { close(fd_); }
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;

  // Of its own keys: nobody else changes them.
  void add_own() {
    const unsigned key = random_() % kKeys;
    const std::string name = "own-" + std::to_string(number_) + "-" + std::to_string(key);
    std::string& held = held_[key];
    switch (random_() % 4) {
      case 0:
        held = std::string(8 + random_() % 300, static_cast<char>('a' + random_() % 26));
        ask("set " + name + " 0 0 " + std::to_string(held.size()) + "\r\n" + held + "\r\n",
            "STORED\r\n");
        break;
      case 1:
        ask("delete " + name + "\r\n", held.empty() ? "NOT_FOUND\r\n" : "DELETED\r\n");
        held.clear();
        break;
      default:
        ask("get " + name + "\r\n", value(name, held));
    }
  }

  // Of keys that all connections read and none changes, and of a counter that all change.
  void add_shared() {
    const std::string name = shared_name(random_() % kKeys);
    ask("get " + name + "\r\n", value(name, shared_text(name)));
    if (random_() % 4 == 0) ask("incr counter 1 noreply\r\n", ""), ++counted;
  }

  void set_shared() {
    for (unsigned key = 0; key < kKeys; ++key) {
      const std::string text = shared_text(shared_name(key));
      ask("set " + shared_name(key) + " 0 0 " + std::to_string(text.size()) + "\r\n" + text +
              "\r\n",
          "STORED\r\n");
    }
    ask("set counter 0 0 1\r\n0\r\n", "STORED\r\n");
  }

  void get_counter(const std::string& expected) {
    ask("get counter\r\n", value("counter", expected));
  }

  void send_all() {
    for (std::size_t at = 0; at < asked_.size();) {
      const ssize_t n = write(fd_, asked_.data() + at, asked_.size() - at);
      if (n <= 0) fail(std::string("cannot send: ") + std::strerror(errno));
      at += static_cast<std::size_t>(n);
    }
    asked_.clear();
  }

  void check_all() {
    std::string got(right_.size(), '\0');
    for (std::size_t at = 0; at < got.size();) {
      const ssize_t n = read(fd_, got.data() + at, got.size() - at);
      if (n <= 0) fail("no answer after " + got.substr(0, at).substr(at < 200 ? 0 : at - 200));
      at += static_cast<std::size_t>(n);
    }
    if (got != right_)
      fail("wrong answer: " + got.substr(0, 300) + "\nexpected: " + right_.substr(0, 300));
    right_.clear();
  }

  long counted = 0;

 private:
  static constexpr unsigned kKeys = 200;
  static std::string shared_name(unsigned key) { return "shared-" + std::to_string(key); }
  static std::string shared_text(const std::string& name) {
    std::string text;
    while (text.size() < 100) text += name;
    return text;
  }
  static std::string value(const std::string& name, const std::string& text) {
    if (text.empty()) return "END\r\n";
    return "VALUE " + name + " 0 " + std::to_string(text.size()) + "\r\n" + text + "\r\nEND\r\n";
  }
  void ask(const std::string& request, const std::string& answer) {
    asked_ += request;
    right_ += answer;
  }

  int fd_;
  int number_;
  std::minstd_rand random_;
  std::array<std::string, kKeys> held_;
  std::string asked_;
  std::string right_;
};

int memcached(int port, long requests) {
  constexpr int kConnections = 8;
  constexpr int kAtOnce = 20;
  std::vector<Requests*> all;
  for (int i = 0; i < kConnections; ++i) all.push_back(new Requests(port, i));
  all[0]->set_shared();
  all[0]->send_all();
  all[0]->check_all();
  long asked = 0;
  long counted = 0;
  while (asked < requests) {
    for (Requests* each : all) {
      for (int k = 0; k < kAtOnce; ++k) k % 3 == 0 ? each->add_shared() : each->add_own();
      asked += kAtOnce;
      each->send_all();
    }
    for (Requests* each : all) each->check_all();
  }
  for (Requests* each : all) {  // a request behind the last `noreply` says that it was done
    each->add_own();
    each->send_all();
    each->check_all();
    counted += each->counted;
  }
  all[0]->get_counter(std::to_string(counted));
  all[0]->send_all();
  all[0]->check_all();
  for (Requests* each : all) delete each;
  std::printf("%ld requests, %ld counted\n", asked, counted);
  return 0;
}

// Names and messages of DNS: a header of 12 bytes, then one question.
constexpr std::size_t kHeader = 12;

std::string name_of(unsigned number) {
  return "host" + std::to_string(number) + ".zone.example";
}

std::array<unsigned char, 4> address_of(unsigned number) {
  return {10, static_cast<unsigned char>(number >> 16), static_cast<unsigned char>(number >> 8),
          static_cast<unsigned char>(number)};
}

std::string question(std::uint16_t id, std::string_view name) {
  std::string message{
      static_cast<char>(id >> 8), static_cast<char>(id), 1, 0, 0, 1, 0, 0, 0, 0, 0, 0};
  while (!name.empty()) {
    const std::string_view label = name.substr(0, name.find('.'));
    message += static_cast<char>(label.size());
    message += label;
    name.remove_prefix(std::min(label.size() + 1, name.size()));
  }
  message.append({0, 0, 1, 0, 1});  // the root, type A, class IN
  return message;
}

// The host's number in a question, or -1.
long number_in(const std::string& message) {
  const std::size_t at = kHeader;
  if (message.size() < at + 10 || message.compare(at + 1, 4, "host") != 0) return -1;
  return std::strtol(message.c_str() + at + 5, nullptr, 10);
}

std::size_t question_end(const std::string& message) {
  std::size_t at = kHeader;
  while (at < message.size() && message[at] != 0) at += 1 + static_cast<unsigned char>(message[at]);
  return std::min(at + 5, message.size());
}

// The server asks whom it forwards to: answered as the one who knows all hosts.
void answer_one(int fd) {
  std::array<char, 2048> buffer;
  sockaddr_in from{};
  socklen_t size = sizeof from;
  const ssize_t n =
      recvfrom(fd, buffer.data(), buffer.size(), 0, reinterpret_cast<sockaddr*>(&from), &size);
  if (n < static_cast<ssize_t>(kHeader)) return;
  const std::string asked(buffer.data(), static_cast<std::size_t>(n));
  const long number = number_in(asked);
  const std::size_t end = question_end(asked);
  const bool is_address = number >= 0 && asked[end - 4] == 0 && asked[end - 3] == 1;
  std::string answer = asked.substr(0, end);
  answer[2] = static_cast<char>(0x84 | (asked[2] & 1));  // an answer, by authority
  answer[3] = static_cast<char>(0x80);
  answer[7] = is_address ? 1 : 0;
  answer[9] = answer[11] = 0;
  if (is_address) {
    answer.append({static_cast<char>(0xc0), 12, 0, 1, 0, 1, 0, 0, 14, 16, 0, 4});  // an hour
    for (const unsigned char part : address_of(static_cast<unsigned>(number)))
      answer += static_cast<char>(part);
  }
  sendto(fd, answer.data(), answer.size(), 0, reinterpret_cast<const sockaddr*>(&from), size);
}

void check_answer(const std::string& got, std::uint16_t id, unsigned number) {
  const auto address = address_of(number);
  const std::string_view expected(reinterpret_cast<const char*>(address.data()), address.size());
  const bool is_right = got.size() > kHeader && got[0] == static_cast<char>(id >> 8) &&
                        got[1] == static_cast<char>(id) && (got[3] & 15) == 0 && got[7] == 1 &&
                        number_in(got) == static_cast<long>(number) &&
                        got.find(expected, question_end(got)) != std::string::npos;
  if (!is_right)
    fail("wrong answer for " + name_of(number) + ", " + std::to_string(got.size()) +
         " bytes, code " + std::to_string(got.size() > 3 ? got[3] & 15 : -1));
}

// A socket with one question under way.
struct Asking {
  int fd = -1;
  std::uint16_t id = 0;
  unsigned number = 0;
  bool is_waiting = false;
};

int dns(int port, long queries) {
  constexpr unsigned kSockets = 24;
  constexpr unsigned kHosts = 3000;
  const int authority = socket(AF_INET, SOCK_DGRAM, 0);
  const sockaddr_in address = loopback(port + 1);
  if (bind(authority, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    fail("the port behind is not free");
  std::minstd_rand random(5);
  std::array<Asking, kSockets> all;
  std::array<pollfd, kSockets + 1> polled;
  for (unsigned i = 0; i < kSockets; ++i) {
    all[i].fd = connected(SOCK_DGRAM, port);
    polled[i] = {all[i].fd, POLLIN, 0};
  }
  polled[kSockets] = {authority, POLLIN, 0};
  long asked = 0;
  long answered = 0;
  while (answered < queries) {
    for (Asking& each : all) {
      if (each.is_waiting || asked == queries) continue;
      each.id = static_cast<std::uint16_t>(++asked);
      each.number = random() % kHosts;
      each.is_waiting = true;
      const std::string message = question(each.id, name_of(each.number));
      if (send(each.fd, message.data(), message.size(), 0) < 0)
        fail(std::string("cannot send: ") + std::strerror(errno));
    }
    if (poll(polled.data(), polled.size(), 60'000) <= 0) fail("no answer for a minute");
    if ((polled[kSockets].revents & POLLIN) != 0) answer_one(authority);
    for (unsigned i = 0; i < kSockets; ++i) {
      if ((polled[i].revents & POLLIN) == 0) continue;
      std::array<char, 2048> buffer;
      const ssize_t n = recv(all[i].fd, buffer.data(), buffer.size(), 0);
      if (n <= 0) fail("no answer");
      check_answer(std::string(buffer.data(), static_cast<std::size_t>(n)), all[i].id,
                   all[i].number);
      all[i].is_waiting = false;
      ++answered;
    }
  }
  std::printf("%ld queries\n", answered);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string_view what = count == 4 ? words[1] : "";
  if (what == "memcached") return memcached(std::atoi(words[2]), std::atol(words[3]));
  if (what == "dns") return dns(std::atoi(words[2]), std::atol(words[3]));
  fail("usage: client memcached|dns PORT NUMBER");
}
