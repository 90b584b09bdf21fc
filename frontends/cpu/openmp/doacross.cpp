#include "frontends/cpu/openmp/doacross.h"

#include <sys/mman.h>

namespace redflag::openmp {

struct Doacross {
  Doacross* next = nullptr;
  unsigned number = 0;  // which loop of the team
  unsigned left = 0;    // threads that are through
  unsigned dimensions = 0;
  Dimension dimension[kDimensions] = {};
  char* keys = nullptr;
  std::size_t size = 0;
};

namespace {

constexpr std::size_t kMostKeys = std::size_t{16} << 20;

std::size_t trips(const Dimension& d) {
  const long long count = d.step > 0 ? (d.upper - d.lower) / d.step : (d.lower - d.upper) / -d.step;
  return count < 0 ? 0 : static_cast<std::size_t>(count) + 1;
}

Doacross* make_loop(unsigned number, unsigned dimensions, const Dimension* dimension) {
  Doacross* loop = make<Doacross>();
  loop->number = number;
  loop->dimensions = dimensions;
  std::size_t iterations = 1;
  for (unsigned i = 0; i < dimensions; ++i) {
    loop->dimension[i] = dimension[i];
    if (__builtin_mul_overflow(iterations, trips(dimension[i]), &iterations))
      iterations = kMostKeys;
  }
  loop->size = iterations < kMostKeys ? iterations + 1 : kMostKeys;
  void* keys =
      mmap(nullptr, loop->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (keys == MAP_FAILED) {
    loop->size = 1;  // one key for all: orders too much, reports nothing wrong
    keys = take(1);
  }
  loop->keys = static_cast<char*>(keys);
  return loop;
}

void free_loop(Doacross* loop) {
  rt::memory_replaced(loop->keys, loop->size);
  if (loop->size == 1) {
    give(loop->keys, 1);
  } else {
    munmap(loop->keys, loop->size);
  }
  give(loop, sizeof(Doacross));
}

// 0: no such iteration.
rt::SyncKey key_of(const Doacross& loop, const long long* iteration) {
  std::size_t index = 0;
  for (unsigned i = 0; i < loop.dimensions; ++i) {
    const Dimension& d = loop.dimension[i];
    const bool up = d.step > 0;
    if (up ? iteration[i] < d.lower || iteration[i] > d.upper
           : iteration[i] > d.lower || iteration[i] < d.upper) {
      return 0;
    }
    index = index * trips(d) + static_cast<std::size_t>((iteration[i] - d.lower) / d.step);
  }
  return reinterpret_cast<rt::SyncKey>(loop.keys + index % loop.size);
}

}  // namespace

void begin_doacross(Task& task, unsigned dimensions, const Dimension* dimension) {
  if (!task.team || dimensions == 0 || dimensions > kDimensions) return;
  const unsigned number = ++task.doacross_loops;
  Team& team = *task.team;
  Holding holding(team.doacross_lock);
  for (task.doacross = team.doacross; task.doacross; task.doacross = task.doacross->next) {
    if (task.doacross->number == number) return;
  }
  task.doacross = make_loop(number, dimensions, dimension);
  task.doacross->next = team.doacross;
  team.doacross = task.doacross;
}

void post_doacross(Task& task, const long long* iteration) {
  if (!task.doacross) return;
  if (const rt::SyncKey key = key_of(*task.doacross, iteration)) rt::release(*task.thread, key);
}

void waited_doacross(Task& task, const long long* iteration) {
  if (!task.doacross) return;
  if (const rt::SyncKey key = key_of(*task.doacross, iteration)) rt::acquire(*task.thread, key);
}

void end_doacross(Task& task) {
  Doacross* loop = task.doacross;
  if (!loop) return;
  task.doacross = nullptr;
  Team& team = *task.team;
  {
    Holding holding(team.doacross_lock);
    if (++loop->left < team.threads.load(std::memory_order_relaxed)) return;
    Doacross** at = &team.doacross;
    while (*at != loop) at = &(*at)->next;
    *at = loop->next;
  }
  free_loop(loop);
}

unsigned doacross_dimensions(const Task& task) {
  return task.doacross ? task.doacross->dimensions : 0;
}

}  // namespace redflag::openmp
