// Kernels of intrinsics_test.cpp: each intrinsic once, by a block of two warps, results in `out`.
#include "frontends/cuda/device/intrinsics.h"

using namespace redflag::device;

REDFLAG_SHARED std::uint32_t shared_word[64];

REDFLAG_KERNEL who(std::uint32_t* out) {
  std::uint32_t* const mine =
      out + 8 * thread_in_block() + 8 * threads_of_block() * block_in_grid();
  mine[0] = lane();
  mine[1] = lanes_below();
  mine[2] = thread_in_block();
  mine[3] = threads_of_block();
  mine[4] = static_cast<std::uint32_t>(block_in_grid());
}

REDFLAG_KERNEL together(std::uint64_t* out) {
  const std::uint32_t me = thread_in_block();
  if (me % 4 == 3) return;
  const std::uint32_t mask = active_mask();
  std::uint64_t* const mine = out + 8 * me;
  mine[0] = ballot(mask, me % 2 == 1);
  mine[1] = (all(mask, me < 64) ? 1 : 0) + (all(mask, lane() < 8) ? 2 : 0);
  mine[2] = (any(mask, lane() == 8) ? 1 : 0) + (any(mask, me == 99) ? 2 : 0);
  mine[3] = shuffle(mask, me * 10, first(mask) + 1);
  mine[4] = shuffle(mask, (std::uint64_t{me} << 40) + 1, first(mask));
  mine[5] = match_any(mask, me % 8);
  mine[6] = match_any(mask, std::uint64_t{me % 2} << 50);
  mine[7] = count(mask);
  sync_warp(mask);
}

REDFLAG_KERNEL memory(std::uint64_t* out) {
  const std::uint32_t me = thread_in_block();
  if (me == 0) shared_word[0] = 0;
  sync_block();
  atomic_add(&shared_word[0], 1U);
  sync_block();
  if (me != 0) return;
  out[0] = shared_word[0];
  auto* const word = reinterpret_cast<std::uint32_t*>(out + 1);
  store_relaxed<Reach::kDevice>(word, 5U);
  store_release<Reach::kSystem>(out + 2, std::uint64_t{7} << 33);
  fence<Reach::kBlock>();
  fence<Reach::kDevice>();
  fence<Reach::kSystem>();
  out[3] = load_relaxed<Reach::kBlock>(word) + load_acquire<Reach::kDevice>(word);
  out[4] = load_acquire<Reach::kSystem>(out + 2);
  out[5] = compare_swap(word, 5U, 6U) + compare_swap(word, 5U, 9U);
  out[6] = compare_swap(out + 2, std::uint64_t{7} << 33, std::uint64_t{2} << 40);
  out[7] = atomic_exchange(out + 2, std::uint64_t{1}) >> 40;
  out[8] = atomic_or(word, 8U) * 100 + atomic_and(word, 12U);
  out[9] = atomic_max(word, 30U) * 100 + atomic_min(word, 2U);
  const std::uint64_t before = time_ns();
  sleep_ns(20);
  out[10] = time_ns() >= before;
}

REDFLAG_KERNEL spaces(std::uint64_t* out) {
  std::uint64_t own[2] = {1, 2};
  asm volatile("" ::"l"(own) : "memory");
  const auto shared = reinterpret_cast<std::uint64_t>(&shared_word[3]);
  const auto global = reinterpret_cast<std::uint64_t>(out);
  const auto local = reinterpret_cast<std::uint64_t>(own);
  out[0] = (in_shared(shared) ? 1 : 0) + (in_shared(global) ? 2 : 0) + (in_shared(local) ? 4 : 0);
  out[1] = (in_local(local) ? 1 : 0) + (in_local(global) ? 2 : 0) + (in_local(shared) ? 4 : 0);
  out[2] = to_shared(shared) - to_shared(reinterpret_cast<std::uint64_t>(&shared_word[0]));
}

REDFLAG_KERNEL clusters(std::uint32_t* out) {
  if constexpr (kClusters) {
    std::uint32_t* const mine = out + 4 * block_in_grid();
    const std::uint32_t here = to_shared(reinterpret_cast<std::uint64_t>(&shared_word[3]));
    mine[0] = rank_in_cluster();
    mine[1] = owner_rank(here);
    const std::uint32_t there = in_block_of(here, 1);
    mine[2] = owner_rank(there);
    mine[3] = in_block_of(there, rank_in_cluster()) == in_block_of(here, rank_in_cluster());
  }
}
