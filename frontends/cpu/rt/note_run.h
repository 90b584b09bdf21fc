// An access that is noted: does it go on with one that was noted before?
//
// By the same place: touching it, so that both are one; or elements of the same size, each as far from the one
// before as the next. Whatever is joined stands for exactly the bytes that its parts do.
#pragma once

#include "frontends/cpu/abi/watch.h"

namespace redflag::rt {

// True: it is a part of `run` now.
inline bool becomes_part(abi::WatchedAccess& run, const abi::WatchedAccess& now) {
  if (run.context != now.context || run.is_write != now.is_write || now.begin < run.begin) {
    return false;
  }
  // Each atomic one is of its own bytes.
  if (run.may_poll != now.may_poll || run.is_atomic || now.is_atomic) return false;
  const std::uint64_t apart = now.begin - run.begin;
  if (run.count == 1 && now.count == 1 && now.begin <= run.end) {
    if (now.end > run.end) run.end = now.end;
    return true;
  }
  if (now.end - now.begin != run.end - run.begin) return false;
  // The step of one that has none yet is that to the next.
  std::uint64_t step = run.count != 1 ? run.step : now.step;
  if (run.count == 1 && now.count == 1) step = apart;
  if ((now.count != 1 && now.step != step) || step > ~std::uint32_t{0} || apart % step != 0) {
    return false;
  }
  const std::uint64_t before = apart / step;
  const std::uint64_t count = before + now.count;
  if (before > run.count || count > ~std::uint32_t{0}) return false;  // a gap
  run.step = static_cast<std::uint32_t>(step);
  if (count > run.count) run.count = static_cast<std::uint32_t>(count);
  return true;
}

}  // namespace redflag::rt
