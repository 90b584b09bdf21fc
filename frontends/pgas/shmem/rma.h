// What the calls that touch another PE's memory mean (OpenSHMEM 1.4, sections 9.3, 9.4 and 9.7).
//
// A put is locally complete when it returns, at its target after quiet; a get is complete when it
// returns; the nonblocking forms are complete after quiet. Atomics exclude each other, of one type.
// What writes a single element may be a flag that somebody waits for, and tells so.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "frontends/pgas/hold/deferrable.h"
#include "frontends/pgas/shmem/state.h"

namespace redflag::pgas::shmem {

struct Operation {
  Context context = nullptr;
  const void* remote = nullptr;  // a symmetric address
  const void* local = nullptr;   // nullptr: a value
  std::size_t element = 1;       // bytes
  std::size_t count = 1;
  std::ptrdiff_t remote_stride = 1;  // in elements
  std::ptrdiff_t local_stride = 1;
  int pe = 0;
  AccessKind kind = AccessKind::kPut;
  std::uint16_t type = 0;  // of atomics
  bool is_nonblocking = false;
  bool is_flag = false;
  bool ends_alone = false;  // when its call returns
};

std::uint64_t before(const LibraryCall& call, const Operation& operation);
// Of those that are complete when they return.
void after(const LibraryCall& call, std::uint64_t number);

// Under 'redflag confirm': before the real call of one that is complete when it returns.
void hold_at_once(std::uint64_t number);
// And of a put whose buffer is the program's again when it returns: its bytes, if the real call is made later.
std::shared_ptr<const std::vector<std::byte>> copy_if_deferred(const Operation& operation,
                                                               std::uint64_t number);

// Those that do not look at memory of the caller's when they have returned, or may.
template <typename Real>
auto put(const LibraryCall& call, Real real, const Operation& operation) {
  return hold::now_or_later(before(call, operation), real, false);
}

// `real` takes the buffer.
template <typename Real>
void put_from(const LibraryCall& call, Real real, const Operation& operation) {
  const std::uint64_t number = before(call, operation);
  const std::shared_ptr<const std::vector<std::byte>> copy = copy_if_deferred(operation, number);
  if (copy == nullptr) return real(operation.local);
  hold::holder()->defer(number, [real, copy] { real(copy->data()); }, false);
}

template <typename Real>
auto get(const LibraryCall& call, Real real, Operation operation) {
  operation.kind = AccessKind::kGet;
  operation.ends_alone = !operation.is_nonblocking;
  const std::uint64_t number = before(call, operation);
  if (operation.is_nonblocking) {
    return hold::now_or_later(number, real, false);
  }
  hold_at_once(number);
  if constexpr (std::is_void_v<decltype(real())>) {
    real();
    after(call, number);
  } else {
    const auto value = real();
    after(call, number);
    return value;
  }
}

template <typename Real>
auto atomic(const LibraryCall& call, Real real, Operation operation, bool writes) {
  operation.kind = writes ? AccessKind::kAccumulate : AccessKind::kFetch;
  operation.is_flag = writes;
  operation.ends_alone = !std::is_void_v<decltype(real())>;
  const std::uint64_t number = before(call, operation);
  if constexpr (std::is_void_v<decltype(real())>) {
    hold::now_or_later(number, real, true);
  } else {
    hold_at_once(number);
    // The value is there, so the operation has been done.
    const auto value = real();
    after(call, number);
    return value;
  }
}

}  // namespace redflag::pgas::shmem
