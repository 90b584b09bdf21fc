#include "frontends/cpu/wire/decode.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/model/race.h"
#include "core/model/sources.h"
#include "frontends/cpu/wire/hold.h"

namespace redflag::wire {
namespace {

// Takes records from the front of the bytes.
class Bytes {
 public:
  explicit Bytes(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::size_t left() const { return bytes_.size(); }

  template <typename T>
  bool take(T& into) {
    if (bytes_.size() < sizeof(T)) return false;
    std::memcpy(&into, bytes_.data(), sizeof(T));
    bytes_ = bytes_.subspan(sizeof(T));
    return true;
  }

  template <typename T>
  bool take(std::vector<T>& into, std::uint32_t count) {
    if (bytes_.size() / sizeof(T) < count) return false;
    into.resize(count);
    if (count > 0) std::memcpy(into.data(), bytes_.data(), count * sizeof(T));
    bytes_ = bytes_.subspan(count * sizeof(T));
    return true;
  }

 private:
  std::span<const std::byte> bytes_;
};

template <typename T>
Result<T> decode_plain(std::span<const std::byte> bytes, const char* what) {
  T value;
  if (bytes.size() != sizeof(T)) {
    return fail(std::string(what) + " of " + std::to_string(bytes.size()) + " bytes; expected " +
                std::to_string(sizeof(T)));
  }
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

// The first thing wrong with a message whose records are all there; empty: nothing.
class Check {
 public:
  // `half`: of a meeting, where each of the two tells of itself.
  Check(const RaceMessage& message, bool half) : message_(message), half_(half) {}

  std::string run() {
    const Race& race = message_.race;
    if (half_ && race.met_side >= kHoldSides) wrong("met_side", race.met_side, kHoldSides);
    if (half_ && race.has_first != 0) wrong("has_first", race.has_first, 1);
    if (race.rule >= kCpuRuleCount) wrong("rule", race.rule, kCpuRuleCount);
    flag("has_first", race.has_first);
    if (!half_ && race.rule < kCpuRuleCount && is_race(static_cast<Rule>(race.rule)) &&
        race.has_first == 0) {
      wrong("has_first", 0, 0);
    }
    flag("in_signal_handler", race.in_signal_handler);
    flag("sync_ignored", race.sync_ignored);
    if (race.history > History::kDenied) wrong("history", static_cast<unsigned>(race.history), 3);
    if (race.addr + race.size < race.addr) wrong("size", race.size, 0);
    if (race.has_first != 0) {
      access("first", race.first);
      if (race.first.thread != kNoThread) thread("first.thread", race.first.thread);
    }
    access("second", race.second);
    thread("second.thread", race.second.thread);
    memory(race.memory);
    for (const ThreadRecord& thread : message_.threads) {
      stack("thread.created", thread.created);
      flag("thread.running", thread.running);
      flag("thread.is_fiber", thread.is_fiber);
      if (std::memchr(thread.name, 0, sizeof(thread.name)) == nullptr) {
        wrong("thread.name without an end", 0, 0);
      }
    }
    for (const LockRecord& lock : message_.locks) {
      stack("lock.created", lock.created);
      stack("lock.allocated", lock.allocated);
      flag("lock.destroyed", lock.destroyed);
      flag("lock.read_write", lock.read_write);
      if (lock.id == 0) wrong("lock.id", 0, 0);
    }
    for (const HeldRecord& held : message_.helds) {
      if (held.lock >= message_.locks.size()) wrong("held.lock", held.lock, message_.locks.size());
      flag("held.shared", held.shared);
      stack("held.acquired", held.acquired);
    }
    return wrong_;
  }

 private:
  void wrong(const char* field, std::uint64_t found, std::uint64_t limit) {
    if (!wrong_.empty()) return;
    wrong_ = std::string(field) + " is " + std::to_string(found);
    if (limit > 0) wrong_ += ", expected less than " + std::to_string(limit);
  }

  void flag(const char* field, std::uint8_t value) {
    if (value > 1) wrong(field, value, 2);
  }

  void part(const char* field, std::uint32_t first, std::uint32_t count, std::size_t of) {
    if (first > of || count > of - first) wrong(field, std::uint64_t{first} + count, of + 1);
  }

  void stack(const char* field, const StackRef& ref) {
    part(field, ref.first, ref.count, message_.words.size());
  }

  void thread(const char* field, std::uint32_t number) {
    if (message_.thread(number) == nullptr) {
      wrong((std::string(field) + " is not among the threads: it").c_str(), number, 0);
    }
  }

  void access(const std::string& side, const AccessRecord& access) {
    const auto field = [&](const char* name) { return side + "." + name; };
    stack(field("stack").c_str(), access.stack);
    part(field("held").c_str(), access.first_held, access.held, message_.helds.size());
    if (access.kind >= kEventKindCount || !is_access(static_cast<EventKind>(access.kind))) {
      wrong(field("kind").c_str(), access.kind, 0);
    }
    if (access.order >= kOrderCount) wrong(field("order").c_str(), access.order, kOrderCount);
    flag(field("is_volatile").c_str(), access.is_volatile);
    flag(field("is_vptr").c_str(), access.is_vptr);
  }

  void memory(const MemoryRecord& memory) {
    stack("memory.allocated", memory.allocated);
    stack("memory.freed_at", memory.freed_at);
    if (memory.kind >= kRegionKindCount) wrong("memory.kind", memory.kind, kRegionKindCount);
    flag("memory.freed", memory.freed);
    flag("memory.is_fd", memory.is_fd);
    if (memory.addr + memory.size < memory.addr) wrong("memory.size", memory.size, 0);
    if (memory.is_fd != 0 && memory.addr > 0x7fffffff) wrong("memory.addr", memory.addr, 1U << 31);
  }

  const RaceMessage& message_;
  bool half_;
  std::string wrong_;
};

template <typename T>
void append(std::vector<std::byte>& out, const T* records, std::size_t count) {
  const auto* begin = reinterpret_cast<const std::byte*>(records);
  out.insert(out.end(), begin, begin + count * sizeof(T));
}

}  // namespace

const ThreadRecord* RaceMessage::thread(std::uint32_t number) const {
  const auto at = std::find_if(threads.begin(), threads.end(),
                               [number](const ThreadRecord& one) { return one.number == number; });
  return at == threads.end() ? nullptr : &*at;
}

namespace {

Result<RaceMessage> decode(std::span<const std::byte> bytes, bool half) {
  RaceMessage message;
  Bytes rest(bytes);
  Race& race = message.race;
  if (!rest.take(race)) {
    return fail("a race of " + std::to_string(bytes.size()) + " bytes; expected at least " +
                std::to_string(sizeof(Race)));
  }
  const bool whole = rest.take(message.threads, race.threads) &&
                     rest.take(message.locks, race.locks) && rest.take(message.helds, race.helds) &&
                     rest.take(message.words, race.words);
  if (!whole || rest.left() > 0) {
    return fail("a race of " + std::to_string(bytes.size()) + " bytes for " +
                std::to_string(race.threads) + " threads, " + std::to_string(race.locks) +
                " locks, " + std::to_string(race.helds) + " held locks and " +
                std::to_string(race.words) + " program counters, which is not their size");
  }
  if (std::string wrong = Check(message, half).run(); !wrong.empty()) {
    return fail("a race whose " + wrong);
  }
  return message;
}

}  // namespace

Result<RaceMessage> decode_race(std::span<const std::byte> bytes) {
  return decode(bytes, false);
}

Result<RaceMessage> decode_met(std::span<const std::byte> bytes) {
  return decode(bytes, true);
}

Result<Hello> decode_hello(std::span<const std::byte> bytes) {
  Result<Hello> hello = decode_plain<Hello>(bytes, "a greeting");
  if (hello && hello->version != kVersion) {
    return fail("the program's runtime speaks version " + std::to_string(hello->version) +
                " of the protocol, this command version " + std::to_string(kVersion) +
                "; link the program with the libredflag of this installation");
  }
  return hello;
}

Result<Bye> decode_bye(std::span<const std::byte> bytes) {
  return decode_plain<Bye>(bytes, "a farewell");
}

std::string_view name_of(const ThreadRecord& thread) {
  return {thread.name, strnlen(thread.name, sizeof(thread.name))};
}

std::vector<std::byte> encode_race(RaceMessage message) {
  message.race.threads = static_cast<std::uint32_t>(message.threads.size());
  message.race.locks = static_cast<std::uint32_t>(message.locks.size());
  message.race.helds = static_cast<std::uint32_t>(message.helds.size());
  message.race.words = static_cast<std::uint32_t>(message.words.size());
  std::vector<std::byte> out;
  append(out, &message.race, 1);
  append(out, message.threads.data(), message.threads.size());
  append(out, message.locks.data(), message.locks.size());
  append(out, message.helds.data(), message.helds.size());
  append(out, message.words.data(), message.words.size());
  return out;
}

}  // namespace redflag::wire
