// The small words of the vocabulary: identities, scopes and memory orders, each a type of its own.
//
// A thread number, an address and a lock number are all integers, and mixing them up is a bug the
// compiler can find: each is an enum class without enumerators. `raw(x)` gives the integer back, on
// purpose the only way to do so. Nothing here allocates, prints or depends on a platform.
#pragma once

#include <cstdint>
#include <type_traits>

namespace redflag {

enum class ThreadId : std::uint32_t {};   // dense, from 0; never reused within a trace
enum class Addr : std::uint64_t {};       // a byte of the program under test, not of this process
enum class LockId : std::uint64_t {};     // mutex, rwlock, spin lock: usually its address
enum class BarrierId : std::uint64_t {};  // barrier object: usually its address
enum class SourceId : std::uint32_t {};  // node of the calling-context tree (sources.h); 0: unknown
enum class EventIndex : std::uint64_t {};  // position of an event in its trace, from 0

inline constexpr SourceId kNoSource{0};
inline constexpr EventIndex kNoIndex{~std::uint64_t{0}};
inline constexpr ThreadId kMainThread{0};

template <typename Id>
  requires std::is_enum_v<Id>
constexpr std::underlying_type_t<Id> raw(Id id) {
  return static_cast<std::underlying_type_t<Id>>(id);
}

constexpr Addr operator+(Addr a, std::uint64_t bytes) {
  return Addr{raw(a) + bytes};
}
constexpr std::uint64_t operator-(Addr a, Addr b) {
  return raw(a) - raw(b);
}

// The set of threads among which an operation synchronises. CPU threads always use kSystem; the
// narrower ones exist on GPUs, where too narrow a scope is a race class of its own.
enum class Scope : std::uint8_t { kSystem, kDevice, kCluster, kBlock, kWarp };
inline constexpr int kScopeCount = 5;

// Order of an atomic operation or fence, with C++20's meaning. Plain accesses have kPlain.
enum class Order : std::uint8_t { kPlain, kRelaxed, kAcquire, kRelease, kAcqRel, kSeqCst };
inline constexpr int kOrderCount = 6;

constexpr bool is_acquire(Order o) {
  return o == Order::kAcquire || o == Order::kAcqRel || o == Order::kSeqCst;
}
constexpr bool is_release(Order o) {
  return o == Order::kRelease || o == Order::kAcqRel || o == Order::kSeqCst;
}

}  // namespace redflag
