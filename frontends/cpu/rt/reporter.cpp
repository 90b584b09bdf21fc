#include "frontends/cpu/rt/reporter.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <cstddef>
#include <initializer_list>
#include <iterator>

#include "core/live/os.h"
#include "frontends/cpu/rt/text.h"
#include "frontends/cpu/rt/thread.h"

#ifndef REDFLAG_INSTALLED_PROGRAM
#define REDFLAG_INSTALLED_PROGRAM ""
#endif
#ifndef REDFLAG_BUILT_PROGRAM
#define REDFLAG_BUILT_PROGRAM ""
#endif

extern "C" {
extern char** environ;
}

namespace redflag::rt {
namespace {

using live::os_syscall;

int g_socket = -1;
bool g_tried = false;
bool g_own_reporter = false;  // we started it, and wait for it at the end
std::uint32_t g_printed = 0;  // findings printed here, for want of a reporter
TextBuffer<64 << 10> g_words_buffer;
// By About: what the program says about its reports; nullptr: nothing.
const char* g_words[4] = {};

long word(const void* p) {
  return reinterpret_cast<long>(p);
}

bool send_all(const void* data, std::size_t size) {
  const char* p = static_cast<const char*>(data);
  while (size != 0) {
    const std::intptr_t n =
        os_syscall(SYS_sendto, g_socket, word(p), static_cast<long>(size), MSG_NOSIGNAL, 0, 0);
    if (n == -4 /* EINTR */) continue;
    if (n <= 0) return false;
    p += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool receive_all(void* data, std::size_t size) {
  char* p = static_cast<char*>(data);
  while (size != 0) {
    const std::intptr_t n =
        os_syscall(SYS_recvfrom, g_socket, word(p), static_cast<long>(size), 0, 0, 0);
    if (n == -4 /* EINTR */) continue;
    if (n <= 0) return false;
    p += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool send_message(wire::Kind kind, const void* body, std::uint32_t size) {
  wire::MessageHeader header;
  header.kind = kind;
  header.size = size;
  header.pid = static_cast<std::uint32_t>(os_syscall(SYS_getpid));
  return send_all(&header, sizeof(header)) && send_all(body, size);
}

// High, so that programs which expect the lowest free number get it.
int out_of_the_way(int fd) {
  const std::intptr_t moved = os_syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 900);
  if (moved < 0) return fd;
  os_syscall(SYS_close, fd);
  return static_cast<int>(moved);
}

bool connect_to(const char* name) {
  const std::intptr_t fd = os_syscall(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::size_t n = 0;
  for (; name[n] != 0 && n < sizeof(address.sun_path) - 1; ++n) address.sun_path[n] = name[n];
  if (name[0] == '@') address.sun_path[0] = 0;  // the abstract namespace
  if (os_syscall(SYS_connect, fd, word(&address),
                 static_cast<long>(offsetof(sockaddr_un, sun_path) + n)) != 0) {
    os_syscall(SYS_close, fd);
    return false;
  }
  g_socket = out_of_the_way(static_cast<int>(fd));
  return true;
}

bool executable(const char* path) {
  return path != nullptr && *path != 0 && os_syscall(SYS_access, word(path), 1 /* X_OK */) == 0;
}

// The redflag command: named, where this library belongs to, or on the path.
bool find_program(TextBuffer<4096>& found) {
  const char* const named = environment_variable(wire::kProgramVariable);
  for (const char* path : {named, REDFLAG_INSTALLED_PROGRAM, REDFLAG_BUILT_PROGRAM}) {
    if (executable(path)) return found.add(path), true;
  }
  const char* p = environment_variable("PATH");
  while (p != nullptr && *p != 0) {
    char folder[4000];
    std::size_t n = 0;
    while (*p != 0 && *p != ':' && n + 1 < sizeof(folder)) folder[n++] = *p++;
    folder[n] = 0;
    if (*p == ':') ++p;
    TextBuffer<4096> path;
    path.add(folder).add("/redflag");
    if (executable(path.text())) return found.add(path.text()), true;
  }
  return false;
}

bool start_reporter() {
  TextBuffer<4096> program;
  if (!find_program(program)) {
    say("the redflag command is not found: races are printed without names and lines\n"
        "  put it on PATH, or set REDFLAG_PROGRAM=/path/to/redflag");
    return false;
  }
  int ends[2];
  if (os_syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, word(ends)) != 0) return false;
  TextBuffer<32> fd;
  fd.add("--fd=").add_number(static_cast<std::uint64_t>(ends[1]));
  const char* arguments[] = {program.text(), "attend", fd.text(), nullptr};
  // Without an exit signal: the program's own waits never see this child.
  const std::intptr_t pid = os_syscall(SYS_clone, 0, 0, 0, 0, 0);
  if (pid == 0) {
    os_syscall(SYS_close, ends[0]);
    // Not in the program's way: neither its terminal signals nor its preloaded libraries.
    os_syscall(SYS_setpgid, 0, 0);
    os_syscall(SYS_execve, word(program.text()), word(arguments), word(environ));
    os_syscall(SYS_exit_group, 127);
  }
  os_syscall(SYS_close, ends[1]);
  if (pid < 0) {
    os_syscall(SYS_close, ends[0]);
    return false;
  }
  g_socket = out_of_the_way(ends[0]);
  g_own_reporter = true;
  return true;
}

// What does not fit is left out.
void send_words(std::size_t about) {
  if (g_words[about] == nullptr) return;
  const wire::Words words{static_cast<wire::About>(about), 0};
  TextBuffer<64 << 10>& bytes = g_words_buffer;
  bytes.clear();
  bytes.add(reinterpret_cast<const char*>(&words), sizeof(words)).add(g_words[about]);
  send_message(wire::Kind::kWords, bytes.text(), static_cast<std::uint32_t>(bytes.size()));
}

bool connected(bool start) {
  if (g_socket >= 0) return true;
  if (g_tried) return false;
  const char* name = environment_variable(wire::kSocketVariable);
  bool made = name != nullptr && connect_to(name);
  if (!made && !start) return false;
  g_tried = true;
  if (!made) made = start_reporter();
  if (!made) return false;
  const wire::Hello hello;
  if (!send_message(wire::Kind::kHello, &hello, sizeof(hello))) return false;
  for (std::size_t about = 0; about < std::size(g_words); ++about) send_words(about);
  return true;
}

wire::Reply print_plainly(const void* body, wire::Kind kind) {
  const auto& race = *static_cast<const wire::Race*>(body);
  const auto* words = reinterpret_cast<const std::uint64_t*>(
      static_cast<const char*>(body) + sizeof(wire::Race) +
      race.threads * sizeof(wire::ThreadRecord) + race.locks * sizeof(wire::LockRecord) +
      race.helds * sizeof(wire::HeldRecord));
  TextBuffer<4096> text;
  if (kind == wire::Kind::kStack) {
    text.add("the stack of");
  } else {
    text.add("race on ").add_number(race.size).add(" bytes at 0x").add_number(race.addr, 16);
  }
  for (const wire::AccessRecord* a : {&race.second, &race.first}) {
    if (a == &race.first && race.has_first == 0) continue;
    text.add("\n  thread T").add_number(a->thread).add(":");
    for (std::uint32_t i = 0; i < a->stack.count; ++i) {
      text.add(" 0x").add_number(words[a->stack.first + i] & ~wire::kExactPc, 16);
    }
  }
  say(text.text());
  wire::Reply reply;
  if (kind == wire::Kind::kRace) ++g_printed;
  reply.findings = g_printed;
  return reply;
}

}  // namespace

const char* environment_variable(const char* name) {
  if (environ == nullptr) return nullptr;
  for (char** e = environ; *e != nullptr; ++e) {
    const char* p = *e;
    const char* n = name;
    while (*n != 0 && *p == *n) ++p, ++n;
    if (*n == 0 && *p == '=') return p + 1;
  }
  return nullptr;
}

void greet() {
  connected(false);
}

wire::Reply send_race(const void* body, std::uint32_t size, wire::Kind kind) {
  wire::Reply reply;
  if (connected(true) && send_message(kind, body, size) && receive_all(&reply, sizeof(reply)) &&
      reply.magic == wire::kMagic) {
    return reply;
  }
  if (g_socket >= 0) {
    say("the connection to the reporter is lost: races are printed without names and lines from "
        "here on");
    os_syscall(SYS_close, g_socket);
    g_socket = -1;
    g_tried = true;
  }
  return print_plainly(body, kind);
}

wire::Answer ask(const wire::Question& question) {
  wire::Answer answer;
  if (connected(true) && send_message(wire::Kind::kQuestion, &question, sizeof(question)) &&
      receive_all(&answer, sizeof(answer)) && answer.magic == wire::kMagic) {
    return answer;
  }
  return {};
}

void tell(wire::About about, const char* text) {
  const auto at = static_cast<std::size_t>(about);
  g_words[at] = text;
  if (g_socket >= 0) send_words(at);
}

wire::Reply send_between(std::uint32_t fd) {
  wire::Reply reply;
  const wire::Between body{fd, 0};
  if (connected(true) && send_message(wire::Kind::kBetween, &body, sizeof(body)) &&
      receive_all(&reply, sizeof(reply)) && reply.magic == wire::kMagic) {
    return reply;
  }
  say("no reporter could replay the accesses to memory that processes share: races between them "
      "are "
      "not found; redflag run -- PROGRAM finds them");
  reply.findings = g_runtime.findings.load(std::memory_order_relaxed);
  return reply;
}

void say_goodbye(const wire::Bye& bye) {
  if (g_socket < 0) return;
  send_message(wire::Kind::kBye, &bye, sizeof(bye));
  os_syscall(SYS_shutdown, g_socket, SHUT_WR);
  if (g_own_reporter) {
    // It writes its files and ends: its end of the socket closes then.
    pollfd waiting{g_socket, POLLIN, 0};
    for (int turn = 0; turn < 60; ++turn) {
      if (os_syscall(SYS_poll, word(&waiting), 1, 1000) > 0) break;
    }
  }
  os_syscall(SYS_close, g_socket);
  g_socket = -1;
  g_tried = true;
}

void disconnect_after_fork() {
  if (g_socket >= 0) os_syscall(SYS_close, g_socket);
  g_socket = -1;
  g_tried = false;
  g_own_reporter = false;
}

}  // namespace redflag::rt
