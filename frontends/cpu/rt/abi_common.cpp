// The part of <sanitizer/common_interface_defs.h> that ThreadSanitizer's programs use.
//
// Where reports go, the stack of the calling thread, names for addresses: all of it is the
// reporter's work, and is asked of it. Without a reporter there are addresses instead of names.
#include <link.h>
#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>

#include "core/live/os.h"
#include "frontends/cpu/rt/message.h"
#include "frontends/cpu/rt/report.h"
#include "frontends/cpu/rt/reporter.h"
#include "frontends/cpu/rt/text.h"

#define REDFLAG_ABI extern "C" __attribute__((visibility("default")))

namespace redflag::rt {
namespace {

TextBuffer<4096> g_report_path;  // as it was set
TextBuffer<4128> g_report_file;  // with the number of the process
TextBuffer<24> g_report_descriptor;

wire::Answer ask_about(const void* address, bool is_code) {
  wire::Question question;
  question.addr = reinterpret_cast<std::uint64_t>(address);
  question.is_code = is_code ? 1 : 0;
  if (is_reporting()) return ask(question);
  const live::Guard guard(g_report_lock);
  return ask(question);
}

// A result of the formats below: several texts, each with its end, and an empty one behind them.
class Texts {
 public:
  Texts(char* to, std::size_t room) : at_(to), end_(to + room) {}
  void add(const char* text) {
    for (; *text != 0; ++text) put(*text);
  }
  void add_number(std::uint64_t n, unsigned base) {
    TextBuffer<24> digits;
    add(digits.add_number(n, base).text());
  }
  void add_place(const wire::Answer& answer) {
    if (answer.file[0] == 0) return add_module(answer);
    add(answer.file);
    if (answer.line == 0) return;
    put(':');
    add_number(answer.line, 10);
    if (answer.column == 0) return;
    put(':');
    add_number(answer.column, 10);
  }
  void add_module(const wire::Answer& answer) {
    put('(');
    add(answer.module);
    add("+0x");
    add_number(answer.addr, 16);
    put(')');
  }
  void put(char c) {
    if (at_ + 2 < end_) *at_++ = c;
  }
  void finish() {
    if (at_ < end_) *at_++ = 0;
    if (at_ < end_) *at_ = 0;
  }

 private:
  char* at_;
  char* const end_;
};

void add_of_code(Texts& out, char what, const wire::Answer& answer, const void* pc) {
  switch (what) {
    case 'p':
      out.add("0x");
      return out.add_number(reinterpret_cast<std::uint64_t>(pc), 16);
    case 'n':
      return out.put('0');
    case 'm':
      return out.add(answer.module);
    case 'o':
      out.add("0x");
      return out.add_number(answer.addr, 16);
    case 'f':
      return out.add(answer.name);
    case 'F':
      if (answer.name[0] == 0) return;
      out.add("in ");
      return out.add(answer.name);
    case 's':
      return out.add(answer.file);
    case 'l':
      return out.add_number(answer.line, 10);
    case 'c':
      return out.add_number(answer.column, 10);
    case 'S':
    case 'L':
      return out.add_place(answer);
    case 'M':
      return out.add_module(answer);
    default:
      return out.put(what);
  }
}

void add_of_data(Texts& out, char what, const wire::Answer& answer) {
  switch (what) {
    case 'g':
      return out.add(answer.name);
    case 's':
      return out.add(answer.file);
    case 'l':
      return out.add_number(answer.line, 10);
    default:
      return out.put(what);
  }
}

template <typename Add>
void format(const char* text, Texts& out, Add add) {
  for (; *text != 0; ++text) {
    if (*text != '%' || text[1] == 0) {
      out.put(*text);
    } else {
      add(*++text);
    }
  }
  out.finish();
}

struct Place {
  std::uintptr_t pc;
  char* path;
  std::size_t room;
  std::uintptr_t offset;
};

int find_module(dl_phdr_info* info, std::size_t, void* data) {
  auto& place = *static_cast<Place*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || place.pc < begin || place.pc >= begin + segment.p_memsz)
      continue;
    place.offset = place.pc - info->dlpi_addr;
    Texts out(place.path, place.room);
    if (info->dlpi_name != nullptr && *info->dlpi_name != 0) {
      out.add(info->dlpi_name);
    } else {
      char own[4096] = {};
      live::os_syscall(SYS_readlink, reinterpret_cast<long>("/proc/self/exe"),
                       reinterpret_cast<long>(own), sizeof(own) - 1);
      out.add(own);
    }
    out.finish();
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace redflag::rt

using namespace redflag;
using namespace redflag::rt;

REDFLAG_ABI void __sanitizer_set_report_path(const char* path) {
  if (path == nullptr) return;
  const live::Guard guard(g_report_lock);
  g_report_path.clear();
  g_report_path.add(path);
  g_report_file.clear();
  g_report_file.add(path).add(".").add_number(
      static_cast<std::uint64_t>(live::os_syscall(SYS_getpid)));
  tell(wire::About::kReportPath, g_report_path.text());
}
REDFLAG_ABI void __sanitizer_set_report_fd(void* fd) {
  const live::Guard guard(g_report_lock);
  g_report_descriptor.clear();
  g_report_descriptor.add_number(reinterpret_cast<std::uintptr_t>(fd));
  tell(wire::About::kReportFd, g_report_descriptor.text());
}
REDFLAG_ABI const char* __sanitizer_get_report_path() {
  return g_report_file.size() == 0 ? nullptr : g_report_file.text();
}

REDFLAG_ABI void __sanitizer_set_death_callback(void (*callback)()) {
  set_death_callback(callback);
}

REDFLAG_ABI void __sanitizer_print_stack_trace() {
  const LibraryCall call(reinterpret_cast<const void*>(&__sanitizer_print_stack_trace),
                         __builtin_return_address(0));
  if (call) print_stack(*call.thread);
}

REDFLAG_ABI void __sanitizer_symbolize_pc(void* pc, const char* text, char* to, std::size_t room) {
  const wire::Answer answer = ask_about(pc, true);
  Texts out(to, room);
  format(text, out, [&](char what) { add_of_code(out, what, answer, pc); });
}
REDFLAG_ABI void __sanitizer_symbolize_global(void* data, const char* text, char* to,
                                              std::size_t room) {
  const wire::Answer answer = ask_about(data, false);
  Texts out(to, room);
  format(text, out, [&](char what) { add_of_data(out, what, answer); });
}
REDFLAG_ABI int __sanitizer_get_module_and_offset_for_pc(void* pc, char* path, std::size_t room,
                                                         void** offset) {
  Place place{reinterpret_cast<std::uintptr_t>(pc), path, room, 0};
  if (dl_iterate_phdr(&find_module, &place) == 0) return 0;
  if (offset != nullptr) *offset = reinterpret_cast<void*>(place.offset);
  return 1;
}

// 1 for the first that asks, of those that are about to describe a crash.
REDFLAG_ABI int __sanitizer_acquire_crash_state() {
  static std::atomic<int> taken{0};
  return taken.exchange(1) == 0 ? 1 : 0;
}
// The program may bring its own. Nothing here calls it: the summary is made in another process.
extern "C" __attribute__((weak, visibility("default"))) void __sanitizer_report_error_summary(
    const char* summary) {
  say(summary);
}
// The reporter is outside of the sandbox already.
REDFLAG_ABI void __sanitizer_sandbox_on_notify(void*) {}
// 0: they are not installed. The allocator is the program's own, which has hooks or not.
REDFLAG_ABI int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*,
                                                                   std::size_t),
                                                          void (*)(const volatile void*)) {
  return 0;
}
