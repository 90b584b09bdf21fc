// What lanes of a warp do together: shuffles, votes, matches, reductions, and the groups of
// cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "check.h"

namespace cg = cooperative_groups;
constexpr unsigned kAll = 0xffffffff;

template <typename T>
__global__ void shuffle(T* out) {
  const int lane = threadIdx.x;
  const T mine = static_cast<T>(lane * 3 + 1);
  out[lane] = __shfl_sync(kAll, mine, (lane + 5) % 32);
  out[32 + lane] = __shfl_up_sync(kAll, mine, 3);
  out[64 + lane] = __shfl_down_sync(kAll, mine, 4, 16);
  out[96 + lane] = __shfl_xor_sync(kAll, mine, 6);
}
template <typename T>
void test_shuffle(const char* name) {
  check::Buffer<T> out(128);
  shuffle<<<1, 32>>>(out.device);
  out.download();
  for (int lane = 0; lane < 32; lane++) {
    const auto of = [](int other) { return static_cast<T>(other * 3 + 1); };
    check::same(name, lane, out.host[lane], of((lane + 5) % 32));
    check::same(name, lane, out.host[32 + lane], of(lane < 3 ? lane : lane - 3));
    check::same(name, lane, out.host[64 + lane], of(lane % 16 < 12 ? lane + 4 : lane));
    check::same(name, lane, out.host[96 + lane], of(lane ^ 6));
  }
}

__global__ void vote(unsigned* out) {
  const int lane = threadIdx.x;
  unsigned* const o = out + lane * 16;
  o[0] = __ballot_sync(kAll, lane % 3 == 0);
  o[1] = __any_sync(kAll, lane == 9);
  o[2] = __all_sync(kAll, lane < 31);
  o[3] = __match_any_sync(kAll, lane / 4);
  int all;
  o[4] = __match_all_sync(kAll, 7.5, &all) + all;
  o[5] = __match_any_sync(kAll, static_cast<unsigned long long>(lane % 2) << 40);
  o[6] = __activemask();
  o[7] = __syncthreads_count(lane < 11);
  o[8] = __syncthreads_and(lane < 11) + 2 * __syncthreads_or(lane == 3);
  o[9] = __fns(0xf0f0, 0, 3);
  o[10] = __reduce_add_sync(kAll, static_cast<unsigned>(lane)), o[11] = __reduce_max_sync(kAll, -lane);
  o[12] = __reduce_xor_sync(kAll, 1u << lane), o[13] = __reduce_min_sync(kAll, static_cast<unsigned>(lane + 3));
}
void test_vote() {
  check::Buffer<unsigned> out(32 * 16);
  vote<<<1, 32>>>(out.device);
  out.download();
  for (int lane = 0; lane < 32; lane++) {
    const unsigned* const o = out.host.data() + lane * 16;
    const unsigned wanted[] = {0x49249249, 1, 0, 0xfu << lane / 4 * 4, 0, lane % 2 ? 0xaaaaaaaa : 0x55555555, kAll, 11, 2, 6};
    for (int i = 0; i < 10; i++) check::same("vote", lane * 16 + i, o[i], wanted[i]);
    const unsigned reduced[] = {496, 0, kAll, 3};
    for (int i = 0; i < 4; i++) check::same("__reduce_sync", lane * 16 + i, o[10 + i], reduced[i]);
  }
}

struct Big {
  double a;
  int b, c, d;
};
__global__ void groups(int* out, const int* in) {
  __shared__ int box[64];
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const auto half = cg::tiled_partition<4>(tile);
  const auto wide = cg::tiled_partition<64>(block);
  const int i = block.thread_rank();
  int* const o = out + i * 24;
  o[0] = cg::reduce(tile, i, cg::plus<int>()), o[1] = cg::reduce(tile, i * 7 % 8, cg::greater<int>());
  o[2] = cg::inclusive_scan(half, i, cg::plus<int>()), o[3] = cg::exclusive_scan(tile, 1);
  o[4] = tile.shfl(Big{1, i, 2, 3}, 3).b, o[5] = tile.shfl_up(i, 2), o[6] = tile.shfl_down(i, 2), o[7] = tile.shfl_xor(i, 5);
  o[8] = tile.ballot(i % 2), o[9] = tile.any(i == 9), o[10] = tile.all(i < 9), o[11] = tile.match_any(i / 3 * 3);
  o[12] = tile.meta_group_rank() * 100 + tile.meta_group_size(), o[13] = half.meta_group_rank();
  wide.sync();
  cg::memcpy_async(block, box, in, sizeof box);
  cg::wait(block);
  o[14] = box[63 - i];
  if (i % 4 != 1) {
    const auto some = cg::coalesced_threads();
    o[15] = some.thread_rank(), o[16] = some.size(), o[17] = cg::reduce(some, i, cg::plus<int>());
    o[18] = some.shfl(i, 2);
    const auto pair = cg::tiled_partition(some, 5);
    o[19] = pair.size() * 100 + pair.thread_rank();
  }
  const auto odd = cg::binary_partition(tile, i % 2);
  const auto label = cg::labeled_partition(cg::tiled_partition<32>(block), i / 5);
  o[20] = odd.size() * 100 + odd.thread_rank(), o[21] = label.size();
  const cg::thread_group any = cg::tiled_partition(block, 16);
  any.sync();
  o[22] = any.size() * 100 + any.thread_rank();
  o[23] = cg::invoke_one_broadcast(tile, [&] { return i * 2; });
}
void test_groups() {
  check::Buffer<int> out(64 * 24), in(64);
  for (int i = 0; i < 64; i++) in.host[i] = 1000 + i;
  in.upload();
  groups<<<1, 64>>>(out.device, in.device);
  out.download();
  for (int i = 0; i < 64; i++) {
    const int t = i / 8 * 8, r = i % 8, lane = i % 32, w = i / 32 * 32;
    int same = 0, label = 0, sum = 0;
    for (int j = t; j < t + 8; j++) same |= (j / 3 == i / 3) << (j - t);
    for (int j = w; j < w + 32; j++) label += j / 5 == i / 5, sum += j % 4 != 1 ? j : 0;
    const bool in_some = i % 4 != 1;
    const int rank = lane / 4 * 3 + (lane % 4 == 0 ? 0 : lane % 4 - 1);
    const int wanted[] = {8 * t + 28, 7, i / 4 * 4 * (i % 4 + 1) + (i % 4) * (i % 4 + 1) / 2, r, t + 3, r < 2 ? i : i - 2, r > 5 ? i : i + 2,
                          t + (r ^ 5), 0xaa, t == 8, i < 8, same, i / 8 * 100 + 8, r / 4, 1063 - i, in_some ? rank : 0,
                          in_some ? 24 : 0, in_some ? sum : 0, in_some ? w + 3 : 0, in_some ? (rank < 20 ? 500 : 400) + rank % 5 : 0,
                          400 + r / 2, label, 1600 + i % 16, 2 * t};
    for (int k = 0; k < 24; k++) check::same("groups", i * 24 + k, out.host[i * 24 + k], wanted[k]);
  }
}

__global__ void rounds(int* data) {
  const cg::grid_group grid = cg::this_grid();
  const int i = grid.thread_rank(), n = grid.size();
  for (int round = 0; round < 3; round++) {
    const int next = data[(i + 1) % n];
    grid.sync();
    data[i] = next;
    grid.sync();
  }
}
void test_grid() {
  check::Buffer<int> data(256);
  for (int i = 0; i < 256; i++) data.host[i] = i;
  data.upload();
  void* arguments[] = {&data.device};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(rounds), dim3(4), dim3(64), arguments, 0, nullptr);
  data.download();
  for (int i = 0; i < 256; i++) check::same("grid", i, data.host[i], (i + 3) % 256);
}

int main() {
  test_shuffle<int>("int"), test_shuffle<unsigned>("unsigned"), test_shuffle<long>("long"), test_shuffle<unsigned long long>("unsigned long long");
  test_shuffle<float>("float"), test_shuffle<double>("double");
  test_vote(), test_groups(), test_grid();
  return check::finish();
}
