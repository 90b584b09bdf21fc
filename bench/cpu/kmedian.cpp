// K-median clustering of many-dimensional points, as in streamcluster: local search tries one point
// after another as a new centre and computes what all points would gain. Coordinates are read by
// every thread and written by none; assignments and costs belong to a thread's share; four barriers
// per candidate. This is the read-shared workload.
#include <cmath>
#include <limits>
#include <vector>

#include "workload.h"

namespace {

constexpr int kDimensions = 128;
constexpr int kCandidates = 22;
constexpr float kCentreCost = 900.0F;

struct Point {
  float weight;
  float* coordinate;
  long centre;  // the point that it is assigned to
  float cost;
};

struct Clustering {
  int threads = 0;
  std::vector<Point> points;
  std::vector<float> coordinates;
  std::vector<char> is_centre;
  std::vector<char> switches;                // would change to the candidate
  std::vector<int> centre_slot;              // of a centre: its place in `closing`
  std::vector<std::vector<double>> closing;  // per thread: what closing each centre would cost
  std::vector<double> gain;                  // per thread
  std::vector<double> cost;                  // per thread
  int centres = 0;
  bool open = false;
  pthread_barrier_t barrier;
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  long reassigned = 0;
};

float distance(const Point& a, const Point& b) {
  float sum = 0;
  for (int d = 0; d < kDimensions; ++d) {
    const float difference = a.coordinate[d] - b.coordinate[d];
    sum += difference * difference;
  }
  return sum;
}

// Tries `candidate` as a new centre; opens it if that pays, closing those that no longer do.
void try_candidate(Clustering& c, int self, long candidate, long begin, long end) {
  if (self == 0) {
    c.centres = 0;
    for (size_t i = 0; i < c.points.size(); ++i) {
      if (c.is_centre[i]) c.centre_slot[i] = c.centres++;
    }
  }
  pthread_barrier_wait(&c.barrier);
  std::vector<double>& closing = c.closing[self];
  closing.assign(c.centres, 0.0);
  double gain = 0;
  for (long i = begin; i < end; ++i) {
    const float cost = distance(c.points[i], c.points[candidate]) * c.points[i].weight;
    c.switches[i] = cost < c.points[i].cost;
    if (c.switches[i]) {
      gain += c.points[i].cost - cost;
    } else {
      closing[c.centre_slot[c.points[i].centre]] += cost - c.points[i].cost;
    }
  }
  c.gain[self] = gain;
  pthread_barrier_wait(&c.barrier);
  if (self == 0) {
    double total = -kCentreCost;
    for (double g : c.gain) total += g;
    for (int k = 0; k < c.centres; ++k) {
      double loss = 0;
      for (const auto& part : c.closing) loss += part[k];
      c.closing[0][k] = loss;
      if (loss < kCentreCost) total += kCentreCost - loss;
    }
    c.open = total > 0;
  }
  pthread_barrier_wait(&c.barrier);
  if (c.open) {
    long reassigned = 0;
    for (long i = begin; i < end; ++i) {
      const bool closes = c.closing[0][c.centre_slot[c.points[i].centre]] < kCentreCost;
      if (c.switches[i] || closes) {
        c.points[i].cost = distance(c.points[i], c.points[candidate]) * c.points[i].weight;
        c.points[i].centre = candidate;
        ++reassigned;
      }
    }
    GUARDED(&c.lock, c.reassigned += reassigned);
  }
  pthread_barrier_wait(&c.barrier);
  if (self == 0 && c.open) {
    for (size_t i = 0; i < c.points.size(); ++i) {
      if (c.is_centre[i] && c.closing[0][c.centre_slot[i]] < kCentreCost) c.is_centre[i] = 0;
    }
    c.is_centre[candidate] = 1;
  }
}

void work(int self, void* data) {
  Clustering& c = *static_cast<Clustering*>(data);
  const long n = static_cast<long>(c.points.size());
  const long begin = share_begin(n, self, c.threads);
  const long end = share_begin(n, self + 1, c.threads);
  for (long i = begin; i < end; ++i) {  // all start at the first point
    c.points[i].centre = 0;
    c.points[i].cost = distance(c.points[i], c.points[0]) * c.points[i].weight;
  }
  uint64_t seed = 7;  // the same candidates in every thread
  for (int k = 0; k < kCandidates; ++k) {
    const long candidate = static_cast<long>(next_random(&seed) % n);
    pthread_barrier_wait(&c.barrier);
    if (!c.is_centre[candidate]) try_candidate(c, self, candidate, begin, end);
  }
  double cost = 0;
  for (long i = begin; i < end; ++i) cost += c.points[i].cost;
  c.cost[self] = cost;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv, 110'000);
  const long n = arguments.size;
  Clustering c;
  c.threads = arguments.threads;
  c.points.resize(n);
  c.coordinates.resize(n * kDimensions);
  c.is_centre.resize(n);
  c.switches.resize(n);
  c.centre_slot.resize(n);
  c.closing.resize(c.threads);
  c.gain.resize(c.threads);
  c.cost.resize(c.threads);
  uint64_t seed = 3;
  for (long i = 0; i < n; ++i) {
    // Twelve clouds, so that opening a few centres pays.
    const float cloud = static_cast<float>(next_random(&seed) % 12);
    c.points[i].weight = 1;
    c.points[i].coordinate = &c.coordinates[i * kDimensions];
    for (int d = 0; d < kDimensions; ++d) {
      c.points[i].coordinate[d] = cloud + static_cast<float>(next_random(&seed) & 1023) / 1024.0F;
    }
  }
  c.is_centre[0] = 1;
  pthread_barrier_init(&c.barrier, nullptr, c.threads);
  run_threads(c.threads, work, &c);
  double sum = static_cast<double>(c.reassigned);
  for (double cost : c.cost) sum += cost;
  return finish(sum, __FILE__);
}
