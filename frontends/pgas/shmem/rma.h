// What the calls that touch another PE's memory mean (OpenSHMEM 1.4, sections 9.3, 9.4 and 9.7).
//
// A put is locally complete when it returns, at its target after quiet; a get is complete when it
// returns; the nonblocking forms are complete after quiet. Atomics exclude each other, of one type.
// What writes a single element may be a flag that somebody waits for, and tells so.
#pragma once

#include <array>

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

template <typename Real>
auto put(const LibraryCall& call, Real real, const Operation& operation) {
  before(call, operation);
  return real();
}

template <typename Real>
auto get(const LibraryCall& call, Real real, Operation operation) {
  operation.kind = AccessKind::kGet;
  operation.ends_alone = !operation.is_nonblocking;
  const std::uint64_t number = before(call, operation);
  if constexpr (std::is_void_v<decltype(real())>) {
    real();
    if (!operation.is_nonblocking) after(call, number);
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
    real();
  } else {
    // The value is there, so the operation has been done.
    const auto value = real();
    after(call, number);
    return value;
  }
}

}  // namespace redflag::pgas::shmem
