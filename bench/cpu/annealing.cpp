// Simulated annealing of a chip's layout, as in canneal: threads swap the places of two parts of a
// netlist when that shortens the wires, or now and then when it does not. Places are atomic
// pointers; no locks at all. Pointer chasing over many small blocks of memory, all over the heap.
#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <sched.h>

#include "workload.h"

namespace {

constexpr int kSteps = 5;  // of temperature
constexpr int kWires = 5;

struct Place {
  int x, y;
};

struct Part {
  std::string name;
  std::vector<Part*> inputs;
  std::vector<Part*> outputs;
  std::atomic<const Place*> place{nullptr};  // null while somebody swaps it
};

struct Layout {
  int threads = 0;
  std::vector<Place> places;
  std::vector<std::unique_ptr<Part>> parts;
  pthread_barrier_t barrier;
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  long tried = 0;
};

const Place* place_of(const Part& part) {
  for (;;) {
    if (const Place* place = part.place.load(std::memory_order_acquire)) return place;
    sched_yield();
  }
}

// Takes a part's place away from everybody else.
const Place* take(Part& part) {
  for (;;) {
    if (const Place* place = part.place.exchange(nullptr, std::memory_order_acq_rel)) return place;
    sched_yield();
  }
}

int wire(const Place* a, const Place* b) {
  return std::abs(a->x - b->x) + std::abs(a->y - b->y);
}

// How much longer the wires of `part` get when it moves from one place to another.
long cost_of_move(const Part& part, const Place* from, const Place* to) {
  long cost = 0;
  for (const Part* other : part.inputs) {
    const Place* there = place_of(*other);
    cost += wire(there, to) - wire(there, from);
  }
  for (const Part* other : part.outputs) {
    const Place* there = place_of(*other);
    cost += wire(there, to) - wire(there, from);
  }
  return cost;
}

void swap_places(Part& a, Part& b) {
  Part& first = &a < &b ? a : b;  // one order for all: no two wait for each other
  Part& second = &a < &b ? b : a;
  const Place* first_place = take(first);
  const Place* second_place = take(second);
  first.place.store(second_place, std::memory_order_release);
  second.place.store(first_place, std::memory_order_release);
}

void work(int self, void* data) {
  Layout& layout = *static_cast<Layout*>(data);
  const long n = static_cast<long>(layout.parts.size());
  uint64_t seed = 100 + self;
  double temperature = 100;
  for (int step = 0; step < kSteps; ++step) {
    const long tries = n / 4 / layout.threads;
    GUARDED(&layout.lock, layout.tried += tries);
    for (long i = 0; i < tries; ++i) {
      Part& a = *layout.parts[next_random(&seed) % n];
      Part& b = *layout.parts[next_random(&seed) % n];
      if (&a == &b) continue;
      const Place* at_a = place_of(a);
      const Place* at_b = place_of(b);
      const double cost =
          static_cast<double>(cost_of_move(a, at_a, at_b) + cost_of_move(b, at_b, at_a));
      if (cost < 0 || std::exp(-cost / temperature) > next_uniform(&seed)) swap_places(a, b);
    }
    temperature /= 1.5;
    pthread_barrier_wait(&layout.barrier);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv, 200'000);
  const long n = arguments.size;
  Layout layout;
  layout.threads = arguments.threads;
  const int side = static_cast<int>(std::sqrt(static_cast<double>(n))) + 1;
  layout.places.reserve(n);
  for (int i = 0; i < n; ++i) layout.places.push_back({i % side, i / side});
  for (long i = 0; i < n; ++i) {
    layout.parts.push_back(std::make_unique<Part>());
    layout.parts[i]->name = "part_of_netlist_" + std::to_string(i);
    layout.parts[i]->place.store(&layout.places[i], std::memory_order_relaxed);
  }
  uint64_t seed = 17;
  for (auto& part : layout.parts) {
    for (int k = 0; k < kWires; ++k) {
      Part* other = layout.parts[next_random(&seed) % n].get();
      part->inputs.push_back(other);
      other->outputs.push_back(part.get());
    }
  }
  pthread_barrier_init(&layout.barrier, nullptr, layout.threads);
  run_threads(layout.threads, work, &layout);
  // The schedule decides who gets which place, but every place must be somebody's.
  double sum = static_cast<double>(layout.tried);
  for (const auto& part : layout.parts) {
    const Place* place = place_of(*part);
    sum += place->x * 3.0 + place->y * static_cast<double>(place->y);
  }
  return finish(sum, __FILE__);
}
