#include "frontends/cpu/rt/known.h"

#include <immintrin.h>

namespace redflag::rt {

bool g_has_avx2 = false;

namespace {

// Unsigned "less than", by the signed one that there is: both sides moved by half the range.
constexpr std::uint32_t kHalf = std::uint32_t{1} << 31;

bool rest_within(const live::Cell* cells, std::size_t n, std::uint32_t base, std::uint32_t room) {
  for (std::size_t k = 0; k < n; ++k) {
    if (cells[k].load(std::memory_order_relaxed) - base >= room) return false;
  }
  return true;
}

}  // namespace

[[gnu::target("avx2")]] bool all_within_avx2(const live::Cell* cells, std::size_t n,
                                             std::uint32_t base, std::uint32_t room) {
  const __m256i bases = _mm256_set1_epi32(static_cast<int>(base - kHalf));
  const __m256i rooms = _mm256_set1_epi32(static_cast<int>(room - kHalf));
  for (; n >= 8; cells += 8, n -= 8) {
    const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(cells));
    const __m256i within = _mm256_cmpgt_epi32(rooms, _mm256_sub_epi32(eight, bases));
    if (_mm256_movemask_epi8(within) != -1) return false;
  }
  return rest_within(cells, n, base, room);
}

bool all_within_sse2(const live::Cell* cells, std::size_t n, std::uint32_t base,
                     std::uint32_t room) {
  const __m128i bases = _mm_set1_epi32(static_cast<int>(base - kHalf));
  const __m128i rooms = _mm_set1_epi32(static_cast<int>(room - kHalf));
  for (; n >= 4; cells += 4, n -= 4) {
    const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(cells));
    const __m128i within = _mm_cmpgt_epi32(rooms, _mm_sub_epi32(four, bases));
    if (_mm_movemask_epi8(within) != 0xffff) return false;
  }
  return rest_within(cells, n, base, room);
}

}  // namespace redflag::rt
