// The racy bytes of a recorded run by the oracle, before anything is folded: racy_bytes FILE.rft
//
// One line for each race: the address, in hexadecimal, and how many bytes. bench/real/replay.py
// compares them with those that the live run reported.
//
// The oracle keeps every access of a byte and compares each new one with all of them, so a loop's
// counter in memory is more than it can do. It is spared repeats: a plain access of bytes that the
// same thread has accessed, or written, at the same place and size since it last synchronised with
// anybody and since any memory became new or was given back. No racy byte is lost by that. The two
// have the same clock, so whoever comes later and races with the second races with the first.
// Whoever came before the first and races with the second races with the first as well. Who came
// between them was not ordered behind the first, which was not released yet: if he conflicts with
// the second, he raced with the first, on the same bytes.
#include <cstdio>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/detect/registry.h"
#include "core/trace/reader.h"

namespace {

using redflag::Event;
using redflag::EventKind;

struct Printer final : redflag::FindingSink {
  void on_race(const redflag::Race& race) override {
    std::printf("%llx %u\n", static_cast<unsigned long long>(redflag::raw(race.addr)), race.size);
  }
};

class Repeats {
 public:
  bool is_one(const Event& e) {
    const bool is_plain =
        (e.kind == EventKind::kRead || e.kind == EventKind::kWrite) && !e.is_volatile;
    if (!is_plain) {
      end_stretch(e);
      return false;
    }
    const std::uint64_t page = e.object / kPage;
    if ((e.object + e.size - 1) / kPage != page) return false;
    Seen& seen = seen_[Key{e.object, e.size, redflag::raw(e.thread)}];
    const std::uint64_t now = stretch_[redflag::raw(e.thread)] + memory_ + pages_[page];
    const bool is_write = e.kind == EventKind::kWrite;
    if (seen.wrote == now || (!is_write && seen.read == now)) return true;
    (is_write ? seen.wrote : seen.read) = now;
    return false;
  }

 private:
  struct Key {
    std::uint64_t addr;
    std::uint32_t size;
    std::uint32_t thread;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& k) const {
      return (k.addr * 31 + std::uint64_t{k.size} * 7 + k.thread) * 0x9e3779b97f4a7c15U;
    }
  };
  struct Seen {
    std::uint64_t read = 0;  // the stretch in which it was
    std::uint64_t wrote = 0;
  };

  static constexpr std::uint64_t kPage = 4096;
  static constexpr std::uint64_t kManyPages = 4096;

  // These counters only grow, so no stretch has the number of another. 0 is none.
  void end_stretch(const Event& e) {
    if (e.kind == EventKind::kAlloc || e.kind == EventKind::kFree) {
      const std::uint64_t first = e.object / kPage;
      const std::uint64_t last = (e.object + e.size - 1) / kPage;
      if (last - first > kManyPages) {
        ++memory_;
        return;
      }
      for (std::uint64_t page = first; page <= last; ++page) ++pages_[page];
    } else if (e.kind != EventKind::kWork) {
      ++stretch_[redflag::raw(e.thread)];
    }
  }

  std::unordered_map<Key, Seen, Hash> seen_;
  std::unordered_map<std::uint32_t, std::uint64_t> stretch_;
  std::unordered_map<std::uint64_t, std::uint64_t> pages_;  // how often memory changed hands there
  std::uint64_t memory_ = 1;
};

int fail(const redflag::Error& error) {
  std::fprintf(stderr, "racy_bytes: %s\n", error.message.c_str());
  return 1;
}

int print_races(const char* path) {
  auto reader = redflag::open_trace(path);
  if (!reader) return fail(reader.error());
  redflag::PageResource memory;
  Printer sink;
  const auto oracle = redflag::find_detector("oracle")->make(
      {.memory = &memory, .sink = &sink, .threads_appear = false});
  Repeats repeats;
  std::vector<Event> others;
  std::uint64_t read = 0;
  std::uint64_t given = 0;
  while (true) {
    const auto batch = (*reader)->next();
    if (!batch) return fail(batch.error());
    if (batch->empty()) break;
    others.clear();
    for (const Event& e : *batch) {
      if (!repeats.is_one(e)) others.push_back(e);
    }
    oracle->on_events(others, redflag::EventIndex{given});
    read += batch->size();
    given += others.size();
  }
  oracle->finish();
  std::printf("events %llu\n", static_cast<unsigned long long>(read));
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count == 2) return print_races(words[1]);
  std::fprintf(stderr, "usage: racy_bytes FILE.rft\n");
  return 2;
}
