// A fluid of particles in a grid of cells, as in fluidanimate: particles push on those in the same
// and neighbouring cells. Each thread owns a slab of the grid; where a slab ends, cells are updated
// by two threads under one small lock per cell. Structs of floats, many short critical sections,
// a barrier between phases.
#include <cmath>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "workload.h"

namespace {

constexpr int kFrames = 3;
constexpr int kRoom = 16;
constexpr int kSide = 32;
constexpr float kReach = 1.0F;  // cells are as wide as particles reach
constexpr float kStep = 0.005F;

struct Vec {
  float x, y, z;
  Vec operator+(Vec o) const { return {x + o.x, y + o.y, z + o.z}; }
  Vec operator-(Vec o) const { return {x - o.x, y - o.y, z - o.z}; }
  Vec operator*(float f) const { return {x * f, y * f, z * f}; }
  float squared() const { return x * x + y * y + z * z; }
};

// Particles of one cell; more than fit go to the next block of the chain.
struct Cell {
  Vec position[kRoom];
  Vec velocity[kRoom];
  Vec push[kRoom];
  float density[kRoom];
  int count = 0;
  std::unique_ptr<Cell> next;
};

struct Fluid {
  int threads = 0;
  int layers = 0;  // of kSide x kSide cells
  std::vector<Cell> now, before;
  std::vector<std::mutex> locks;  // per cell
  std::vector<char> is_border;    // two threads write it
  std::vector<double> energy;     // per thread
  pthread_barrier_t barrier;
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  long pairs = 0;  // in the first frame

  int index(int x, int y, int z) const { return (z * kSide + y) * kSide + x; }
};

class MaybeLock {  // the lock of a border cell; nothing for others
 public:
  MaybeLock(Fluid& fluid, int cell) : lock_(fluid.is_border[cell] ? &fluid.locks[cell] : nullptr) {
    if (lock_) lock_->lock();
  }
  ~MaybeLock() {
    if (lock_) lock_->unlock();
  }
  MaybeLock(const MaybeLock&) = delete;
  MaybeLock& operator=(const MaybeLock&) = delete;

 private:
  std::mutex* lock_;
};

void insert(Cell& cell, Vec position, Vec velocity) {
  Cell* block = &cell;
  while (block->count == kRoom) {
    if (!block->next) block->next = std::make_unique<Cell>();
    block = block->next.get();
  }
  const int i = block->count++;
  block->position[i] = position;
  block->velocity[i] = velocity;
}

int coordinate(float value, int cells) {
  const int i = static_cast<int>(value / kReach);
  return i < 0 ? 0 : i >= cells ? cells - 1 : i;
}

// Moves the particles of a slab into the cells that they are in now.
void rebuild(Fluid& fluid, int begin, int end) {
  for (int c = begin; c < end; ++c) {
    for (const Cell* block = &fluid.before[c]; block; block = block->next.get()) {
      for (int i = 0; i < block->count; ++i) {
        const Vec p = block->position[i];
        const int to = fluid.index(coordinate(p.x, kSide), coordinate(p.y, kSide),
                                   coordinate(p.z, fluid.layers));
        const std::lock_guard<std::mutex> guard(fluid.locks[to]);
        insert(fluid.now[to], p, block->velocity[i]);
      }
    }
  }
}

void clear(Fluid& fluid, int begin, int end) {
  for (int c = begin; c < end; ++c) {
    fluid.before[c].count = 0;
    fluid.before[c].next.reset();
    for (Cell* block = &fluid.now[c]; block; block = block->next.get()) {
      for (int i = 0; i < block->count; ++i) {
        block->push[i] = {0, -9.8F, 0};
        block->density[i] = 0;
      }
    }
  }
}

// Calls act(cell, other cell) for each neighbouring pair once, from the cell with the higher index.
template <typename Act>
void for_each_pair(const Fluid& fluid, int layer_begin, int layer_end, Act act) {
  for (int z = layer_begin; z < layer_end; ++z) {
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        const int here = fluid.index(x, y, z);
        for (int dz = -1; dz <= 0; ++dz) {
          for (int dy = -1; dy <= 1; ++dy) {
            for (int dx = -1; dx <= 1; ++dx) {
              const int nx = x + dx, ny = y + dy, nz = z + dz;
              if (nx < 0 || nx >= kSide || ny < 0 || ny >= kSide || nz < 0) continue;
              const int there = fluid.index(nx, ny, nz);
              if (there <= here) act(here, there);
            }
          }
        }
      }
    }
  }
}

// Calls act(block, i, other block, j) for each two particles of the two cells that reach each other.
template <typename Act>
void for_each_contact(Fluid& fluid, int here, int there, Act act) {
  for (Cell* a = &fluid.now[here]; a; a = a->next.get()) {
    for (int i = 0; i < a->count; ++i) {
      for (Cell* b = &fluid.now[there]; b; b = b->next.get()) {
        for (int j = 0; j < b->count; ++j) {
          if (a == b && j >= i) break;
          const float squared = (a->position[i] - b->position[j]).squared();
          if (squared < kReach * kReach) act(*a, i, *b, j, squared);
        }
      }
    }
  }
}

long add_densities(Fluid& fluid, int layer_begin, int layer_end) {
  long pairs = 0;
  for_each_pair(fluid, layer_begin, layer_end, [&](int here, int there) {
    for_each_contact(fluid, here, there, [&](Cell& a, int i, Cell& b, int j, float squared) {
      const float t = kReach * kReach - squared;
      {
        const MaybeLock lock(fluid, here);
        a.density[i] += t * t * t;
      }
      {
        const MaybeLock lock(fluid, there);
        b.density[j] += t * t * t;
      }
      ++pairs;
    });
  });
  return pairs;
}

void add_forces(Fluid& fluid, int layer_begin, int layer_end) {
  for_each_pair(fluid, layer_begin, layer_end, [&](int here, int there) {
    for_each_contact(fluid, here, there, [&](Cell& a, int i, Cell& b, int j, float squared) {
      const float r = std::sqrt(squared + 1e-6F);
      const float pressure = (kReach - r) * (a.density[i] + b.density[j] - 2.0F) * 0.5F / r;
      const Vec force = (a.position[i] - b.position[j]) * pressure +
                        (b.velocity[j] - a.velocity[i]) * ((kReach - r) * 0.1F);
      {
        const MaybeLock lock(fluid, here);
        a.push[i] = a.push[i] + force;
      }
      {
        const MaybeLock lock(fluid, there);
        b.push[j] = b.push[j] - force;
      }
    });
  });
}

void bounce(float& position, float& velocity, float limit) {
  if (position < 0 || position > limit) {
    position = position < 0 ? 0 : limit;
    velocity = -0.5F * velocity;
  }
}

double advance(Fluid& fluid, int begin, int end) {
  double energy = 0;
  for (int c = begin; c < end; ++c) {
    for (Cell* block = &fluid.now[c]; block; block = block->next.get()) {
      for (int i = 0; i < block->count; ++i) {
        Vec& p = block->position[i];
        Vec& v = block->velocity[i];
        v = v + block->push[i] * kStep;
        p = p + v * kStep;
        bounce(p.x, v.x, kSide * kReach);
        bounce(p.y, v.y, kSide * kReach);
        bounce(p.z, v.z, static_cast<float>(fluid.layers) * kReach);
        energy += v.squared();
      }
    }
  }
  return energy;
}

void work(int self, void* data) {
  Fluid& fluid = *static_cast<Fluid*>(data);
  const int layer_begin = static_cast<int>(share_begin(fluid.layers, self, fluid.threads));
  const int layer_end = static_cast<int>(share_begin(fluid.layers, self + 1, fluid.threads));
  const int begin = fluid.index(0, 0, layer_begin), end = fluid.index(0, 0, layer_end);
  for (int frame = 0; frame < kFrames; ++frame) {
    rebuild(fluid, begin, end);
    pthread_barrier_wait(&fluid.barrier);
    clear(fluid, begin, end);
    pthread_barrier_wait(&fluid.barrier);
    const long pairs = add_densities(fluid, layer_begin, layer_end);
    pthread_barrier_wait(&fluid.barrier);
    if (frame == 0) GUARDED(&fluid.lock, fluid.pairs += pairs);
    pthread_barrier_wait(&fluid.barrier);
    add_forces(fluid, layer_begin, layer_end);
    pthread_barrier_wait(&fluid.barrier);
    fluid.energy[self] = advance(fluid, begin, end);
    pthread_barrier_wait(&fluid.barrier);
    if (self == 0) std::swap(fluid.now, fluid.before);
    pthread_barrier_wait(&fluid.barrier);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv, 44);
  Fluid fluid;
  fluid.threads = arguments.threads;
  fluid.layers = static_cast<int>(arguments.size);
  const int cells = kSide * kSide * fluid.layers;
  fluid.now.resize(cells);
  fluid.before.resize(cells);
  fluid.locks = std::vector<std::mutex>(cells);
  fluid.is_border.resize(cells);
  fluid.energy.resize(fluid.threads);
  for (int t = 1; t < fluid.threads; ++t) {  // the layers on both sides of a cut between slabs
    const int cut = static_cast<int>(share_begin(fluid.layers, t, fluid.threads));
    for (int z = cut > 0 ? cut - 1 : 0; z <= cut && z < fluid.layers; ++z) {
      for (int i = 0; i < kSide * kSide; ++i) fluid.is_border[z * kSide * kSide + i] = 1;
    }
  }
  uint64_t seed = 13;
  const long particles = 5L * cells;
  for (long i = 0; i < particles; ++i) {
    const Vec p = {static_cast<float>(next_uniform(&seed) * kSide * kReach),
                   static_cast<float>(next_uniform(&seed) * kSide * kReach),
                   static_cast<float>(next_uniform(&seed) * fluid.layers * kReach)};
    insert(fluid.before[fluid.index(coordinate(p.x, kSide), coordinate(p.y, kSide),
                                    coordinate(p.z, fluid.layers))],
           p, {0, 0, 0});
  }
  pthread_barrier_init(&fluid.barrier, nullptr, fluid.threads);
  run_threads(fluid.threads, work, &fluid);
  long count = 0;
  for (const Cell& cell : fluid.before) {
    for (const Cell* block = &cell; block; block = block->next.get()) count += block->count;
  }
  double energy = 0;
  for (double e : fluid.energy) energy += e;
  if (!std::isfinite(energy) || count != particles) {
    fprintf(stderr, "fluid: %ld of %ld particles left, energy %g\n", count, particles, energy);
    return 70;
  }
  // Sums in the cells at a cut come in any order, so later frames differ in their last bits.
  return finish(static_cast<double>(count) + static_cast<double>(fluid.pairs), __FILE__);
}
