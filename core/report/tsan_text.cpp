#include "core/report/tsan_text.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/report/clean.h"
#include "core/report/words.h"

namespace redflag {
namespace {

constexpr std::string_view kRule = "==================\n";

std::string by_thread(ThreadId thread) {
  if (thread == kUnknownThread) return "unknown thread";
  return thread == kMainThread ? "main thread" : "thread T" + std::to_string(raw(thread));
}

// TSan's shadow is a word for each 8 bytes: an access is shown as the part of it in the word that
// both sides touched, a free or allocation as the whole word.
struct Shown {
  std::uint64_t addr = 0;
  std::uint64_t size = 0;
};

Shown shown_part(const Finding& finding, const Access& access) {
  const std::uint64_t word = raw(finding.addr) & ~std::uint64_t{7};
  const std::uint64_t begin = raw(access.addr);
  if (access.kind == EventKind::kFree || access.kind == EventKind::kAlloc) return {word, 8};
  const std::uint64_t from = std::max(begin, word);
  const std::uint64_t to = std::min(begin + access.size, word + 8);
  return from < to ? Shown{from, to - from} : Shown{begin, access.size};
}

std::string access_words(const Access& access, bool previous) {
  const bool write = writes(access.kind) || access.kind == EventKind::kAlloc;
  const std::string what = write ? "write" : "read";
  if (is_atomic(access.kind)) return (previous ? "Previous atomic " : "Atomic ") + what;
  return previous ? "Previous " + what : (write ? "Write" : "Read");
}

// Frames that a summary should not name: they are in everybody's programs.
bool is_library_frame(const CodeFrame& frame) {
  return frame.file.empty() || frame.file.find("/include/c++/") != std::string::npos ||
         frame.file.find("/include/g++") != std::string::npos;
}

class TsanPrinter {
 public:
  TsanPrinter(const Finding& finding, const TsanOptions& options)
      : finding_(finding), options_(options) {}

  std::string run() {
    const std::string what = title();
    out_ = std::string(kRule) + "WARNING: ThreadSanitizer: " + what +
           " (pid=" + std::to_string(options_.pid) + ")\n";
    if (is_race(finding_.rule)) {
      access(finding_.second, false);
      if (finding_.has_first) access(finding_.first, true);
    } else if (finding_.rule != Rule::kThreadLeak) {
      misuse();
    }
    location();
    for (std::size_t i = 0; i < finding_.locks.size(); ++i) {
      const LockOrigin& lock = finding_.locks[i];
      out_ += "  Mutex M" + std::to_string(i) + " (" + address(raw(lock.addr)) + ") created at:\n";
      stack(lock.created);
    }
    threads();
    summary(what);
    return out_ + std::string(kRule);
  }

  std::string run_stack(const Stack& frames) {
    stack(frames);
    return out_;
  }

 private:
  // The earlier access being a free makes it a use after free; TSan looks at the later one for vptr.
  std::string title() const {
    const bool freed = finding_.rule == Rule::kUseAfterFree;
    if (freed && finding_.second.is_vptr) return "heap-use-after-free (virtual call vs free)";
    if (finding_.rule == Rule::kVptr && !finding_.second.is_vptr) return "data race";
    return std::string(info(finding_.rule).tsan);
  }

  static std::string address(std::uint64_t value) {
    std::string digits = hex(value).substr(2);
    return "0x" + std::string(digits.size() < 12 ? 12 - digits.size() : 0, '0') + digits;
  }

  // As TSan does it: the prefix may stand anywhere, and "./" behind it goes, too.
  std::string stripped(std::string place) const {
    const std::string& prefix = options_.strip_path_prefix;
    const std::size_t at = prefix.empty() ? std::string::npos : place.find(prefix);
    if (at == std::string::npos) return place;
    place.erase(0, at + prefix.size());
    if (place.starts_with("./")) place.erase(0, 2);
    return place;
  }

  std::string module_place(const CodeFrame& frame, bool whole_path) const {
    if (frame.module.empty()) return "(" + hex(frame.offset) + ")";
    const std::string_view path =
        whole_path ? std::string_view(frame.module) : base_name(frame.module);
    std::string text = "(" + printable(path) + "+" + hex(frame.offset) + ")";
    const std::string id = options_.build_id ? options_.build_id(frame.module) : "";
    if (!id.empty()) text += " (BuildId: " + id + ")";
    return text;
  }

  void stack(const Stack& frames) {
    if (frames.empty()) out_ += "    [failed to restore the stack]\n";
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const CodeFrame& frame = frames[i];
      out_ += "    #" + std::to_string(i) + " ";
      out_ += frame.function.empty() ? "<null>" : printable(frame.function);
      out_ += " " + (frame.file.empty() ? "<null>" : printable(stripped(place_text(frame))));
      out_ += " " + module_place(frame, false) + "\n";
    }
    out_ += "\n";
  }

  std::size_t lock_number(std::uint64_t id) const {
    const auto at = std::find_if(finding_.locks.begin(), finding_.locks.end(),
                                 [id](const LockOrigin& lock) { return lock.id == id; });
    return static_cast<std::size_t>(at - finding_.locks.begin());
  }

  void access(const Side& side, bool previous) {
    const Shown shown = shown_part(finding_, side.access);
    out_ += "  " + access_words(side.access, previous) + " of size " + std::to_string(shown.size) +
            " at " + address(shown.addr) + " by " + by_thread(side.access.thread);
    for (std::size_t i = 0; i < side.locks.size(); ++i) {
      out_ += i == 0 ? " (mutexes: " : ", ";
      out_ += (side.locks[i].shared ? "read M" : "write M") +
              std::to_string(lock_number(side.locks[i].id));
    }
    out_ += side.locks.empty() ? ":\n" : "):\n";
    stack(side.stack);
  }

  void misuse() {
    // The size of this finding is the signal's number, where the runtime tells it.
    if (finding_.rule == Rule::kErrnoInSignal && finding_.size > 1) {
      out_ += "  Signal " + std::to_string(finding_.size) + " handler invoked at:\n";
    }
    stack(finding_.second.stack);
    if (!finding_.has_first) return;
    out_ += "  and:\n";
    stack(finding_.first.stack);
  }

  void location() {
    const MemoryOrigin& origin = finding_.origin;
    const Region& memory = finding_.memory;
    const std::string who = by_thread(origin.thread);
    if (origin.descriptor >= 0) {
      out_ += "  Location is file descriptor " + std::to_string(origin.descriptor) +
              (origin.freed ? " destroyed by " : " created by ") + who + " at:\n";
      return stack(finding_.memory_stack);
    }
    switch (memory.kind) {
      case RegionKind::kGlobal:
        out_ += "  Location is global '" + printable(memory.name) + "' of size " +
                std::to_string(memory.size) + " at " + address(raw(memory.addr)) + " (" +
                printable(base_name(origin.module)) + "+" + hex(origin.offset) + ")\n\n";
        break;
      case RegionKind::kHeap:
        out_ += "  Location is heap block of size " + std::to_string(memory.size) + " at " +
                address(raw(memory.addr)) + " allocated by " + who + ":\n";
        stack(finding_.memory_stack);
        break;
      case RegionKind::kDevice:
        out_ += "  Location is device allocation of size " + std::to_string(memory.size) + " at " +
                address(raw(memory.addr)) + " allocated by " + who + ":\n";
        stack(finding_.memory_stack);
        break;
      case RegionKind::kStack:
        out_ += "  Location is stack of " + who + ".\n\n";
        break;
      case RegionKind::kThreadLocal:
        out_ += "  Location is TLS of " + who + ".\n\n";
        break;
      case RegionKind::kShared:
      case RegionKind::kWindow:
        out_ += (memory.kind == RegionKind::kShared ? "  Location is shared mapping '"
                                                    : "  Location is window '") +
                printable(memory.name) + "' of size " + std::to_string(memory.size) + " at " +
                address(raw(memory.addr)) + "\n\n";
        break;
      case RegionKind::kUnknown:
        break;
    }
  }

  // Those that made them, and so on to the first.
  void add_ancestors(std::vector<ThreadId>& named) const {
    for (std::size_t i = 0; i < named.size(); ++i) {
      for (const ThreadOrigin& one : finding_.threads) {
        const bool is_new = std::find(named.begin(), named.end(), one.parent) == named.end();
        if (one.thread == named[i] && is_new) named.push_back(one.parent);
      }
    }
  }

  // Those that the lines above name; of the first one of all there is little to tell.
  void threads() {
    std::vector<ThreadId> named{finding_.origin.thread};
    if (is_race(finding_.rule)) {
      named = {finding_.second.access.thread, finding_.first.access.thread, finding_.origin.thread};
    } else if (finding_.rule == Rule::kThreadLeak) {
      named = {finding_.second.access.thread};
    }
    if (options_.all_threads) add_ancestors(named);
    for (auto at = named.begin(); at != named.end(); ++at) {
      if (*at == kMainThread || std::find(named.begin(), at, *at) != at) continue;
      for (const ThreadOrigin& one : finding_.threads) {
        if (one.thread == *at) thread(one);
      }
    }
    if (finding_.rule == Rule::kThreadLeak && finding_.size > 1) {
      out_ += "  And " + std::to_string(finding_.size - 1) + " more similar thread leaks.\n\n";
    }
  }

  void thread(const ThreadOrigin& one) {
    const std::string number = "T" + std::to_string(raw(one.thread));
    out_ += "  Thread " + number;
    if (!one.name.empty() && one.name != number) out_ += " '" + printable(one.name) + "'";
    const bool running = one.state == ThreadOrigin::State::kRunning;
    out_ += " (tid=" + std::to_string(one.system_id) + (running ? ", running" : ", finished") +
            ") created by " + by_thread(one.parent) + " at:\n";
    stack(one.created);
  }

  const Stack* summary_stack() const {
    if (finding_.rule != Rule::kThreadLeak) return &finding_.second.stack;
    for (const ThreadOrigin& one : finding_.threads) {
      if (one.thread == finding_.second.access.thread) return &one.created;
    }
    return nullptr;
  }

  void summary(const std::string& what) {
    const Stack* frames = summary_stack();
    if (frames == nullptr || frames->empty()) return;
    auto at = std::find_if_not(frames->begin(), frames->end(), is_library_frame);
    if (at == frames->end()) at = frames->begin();
    out_ += "SUMMARY: ThreadSanitizer: " + what + " ";
    out_ += at->file.empty() ? module_place(*at, true) : printable(stripped(place_text(*at)));
    out_ += " in " + (at->function.empty() ? "<null>" : printable(at->function)) + "\n";
  }

  const Finding& finding_;
  const TsanOptions& options_;
  std::string out_;
};

}  // namespace

std::string write_tsan(const Finding& finding, const TsanOptions& options) {
  return TsanPrinter(finding, options).run();
}

std::string write_tsan_stack(const Stack& stack) {
  const Finding none;
  const TsanOptions plain;
  return TsanPrinter(none, plain).run_stack(stack);
}

std::string tsan_last_line(std::uint64_t findings) {
  if (findings == 0) return {};
  return "ThreadSanitizer: reported " + std::to_string(findings) + " warnings\n";
}

}  // namespace redflag
