// V-cycles of a multigrid solver in three dimensions, as in NPB's MG: residuals, smoothing,
// restriction to coarser grids and interpolation back, each a 27-point stencil over doubles whose
// planes are shared out between threads, with a barrier after each. Planes at the edges of a share
// are read by two threads.
#include <cmath>
#include <vector>

#include "workload.h"

namespace {

constexpr int kCycles = 14;

struct Grid {
  int n = 0;  // inner points per side, a power of two less one; the shell around them stays zero
  std::vector<double> data;

  void resize(int inner) {
    n = inner;
    data.assign(static_cast<size_t>(n + 2) * (n + 2) * (n + 2), 0.0);
  }
  double* row(int z, int y) { return &data[(static_cast<size_t>(z) * (n + 2) + y) * (n + 2)]; }
};

struct Solver {
  int threads = 0;
  std::vector<Grid> u, r;  // per level, the finest last
  Grid v;
  std::vector<double> norm;  // per thread
  pthread_barrier_t barrier;
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  long points = 0;
};

// A 27-point stencil: weight by how many of the three coordinates differ.
struct Stencil {
  double same, face, edge, corner;
};
constexpr Stencil kLaplace = {-8.0 / 3, 0.0, 1.0 / 6, 1.0 / 12};
constexpr Stencil kSmooth = {-3.0 / 8, 1.0 / 32, -1.0 / 64, 0.0};

// Sums around a row, of the four neighbours by a face and of the four by an edge, so that each is
// computed once and used for three points.
void row_sums(Grid& g, int z, int y, double* faces, double* edges) {
  const double *up = g.row(z, y + 1), *down = g.row(z, y - 1), *in = g.row(z - 1, y),
               *out = g.row(z + 1, y), *a = g.row(z - 1, y - 1), *b = g.row(z - 1, y + 1),
               *c = g.row(z + 1, y - 1), *d = g.row(z + 1, y + 1);
  for (int x = 0; x < g.n + 2; ++x) {
    faces[x] = up[x] + down[x] + in[x] + out[x];
    edges[x] = a[x] + b[x] + c[x] + d[x];
  }
}

class Worker {
 public:
  Worker(Solver& solver, int self)
      : s_(solver), self_(self), faces_(solver.v.n + 2), edges_(solver.v.n + 2) {}

  void run() {
    const int top = static_cast<int>(s_.u.size()) - 1;
    residual(s_.u[top], s_.v, s_.r[top]);
    for (int cycle = 0; cycle < kCycles; ++cycle) {
      for (int level = top; level > 0; --level) restrict_to(s_.r[level - 1], s_.r[level]);
      fill_zero(s_.u[0]);
      smooth(s_.u[0], s_.r[0]);
      for (int level = 1; level < top; ++level) {
        fill_zero(s_.u[level]);
        interpolate(s_.u[level - 1], s_.u[level]);
        residual(s_.u[level], s_.r[level], s_.r[level]);
        smooth(s_.u[level], s_.r[level]);
      }
      interpolate(s_.u[top - 1], s_.u[top]);
      residual(s_.u[top], s_.v, s_.r[top]);
      smooth(s_.u[top], s_.r[top]);
      residual(s_.u[top], s_.v, s_.r[top]);
    }
    double sum = 0;
    planes(s_.r[top], [&](int z) {
      for (int y = 1; y <= s_.v.n; ++y) {
        const double* row = s_.r[top].row(z, y);
        for (int x = 1; x <= s_.v.n; ++x) sum += row[x] * row[x];
      }
    });
    s_.norm[self_] = sum;
  }

 private:
  template <typename Act>
  void planes(const Grid& g, Act act) {
    const int begin = 1 + static_cast<int>(share_begin(g.n, self_, s_.threads));
    const int end = 1 + static_cast<int>(share_begin(g.n, self_ + 1, s_.threads));
    for (int z = begin; z < end; ++z) act(z);
    GUARDED(&s_.lock, s_.points += static_cast<long>(end - begin) * g.n * g.n);
    pthread_barrier_wait(&s_.barrier);
  }

  // r = v - A u
  void residual(Grid& u, Grid& v, Grid& r) {
    planes(u, [&](int z) {
      for (int y = 1; y <= u.n; ++y) {
        row_sums(u, z, y, faces_.data(), edges_.data());
        const double *at = u.row(z, y), *right = v.row(z, y);
        double* to = r.row(z, y);
        for (int x = 1; x <= u.n; ++x) {
          to[x] = right[x] - kLaplace.same * at[x] -
                  kLaplace.edge * (edges_[x] + faces_[x - 1] + faces_[x + 1]) -
                  kLaplace.corner * (edges_[x - 1] + edges_[x + 1]);
        }
      }
    });
  }

  // u += S r
  void smooth(Grid& u, Grid& r) {
    planes(u, [&](int z) {
      for (int y = 1; y <= u.n; ++y) {
        row_sums(r, z, y, faces_.data(), edges_.data());
        const double* at = r.row(z, y);
        double* to = u.row(z, y);
        for (int x = 1; x <= u.n; ++x) {
          to[x] += kSmooth.same * at[x] + kSmooth.face * (at[x - 1] + at[x + 1] + faces_[x]) +
                   kSmooth.edge * (edges_[x] + faces_[x - 1] + faces_[x + 1]);
        }
      }
    });
  }

  void restrict_to(Grid& coarse, Grid& fine) {
    planes(coarse, [&](int z) {
      for (int y = 1; y <= coarse.n; ++y) {
        row_sums(fine, 2 * z, 2 * y, faces_.data(), edges_.data());
        const double* at = fine.row(2 * z, 2 * y);
        double* to = coarse.row(z, y);
        for (int x = 1; x <= coarse.n; ++x) {
          const int f = 2 * x;
          to[x] = 0.5 * at[f] + 0.25 * (at[f - 1] + at[f + 1] + faces_[f]) +
                  0.125 * (edges_[f] + faces_[f - 1] + faces_[f + 1]) +
                  0.0625 * (edges_[f - 1] + edges_[f + 1]);
        }
      }
    });
  }

  // Adds the coarse correction to the fine grid: point 2k lies on point k of the coarse one, others
  // take the mean of those around them.
  void interpolate(Grid& coarse, Grid& fine) {
    planes(fine, [&](int z) {
      for (int y = 1; y <= fine.n; ++y) {
        const double *a = coarse.row(z / 2, y / 2), *b = coarse.row(z / 2, (y + 1) / 2),
                     *c = coarse.row((z + 1) / 2, y / 2), *d = coarse.row((z + 1) / 2, (y + 1) / 2);
        for (int x = 0; x < coarse.n + 2; ++x) faces_[x] = 0.25 * (a[x] + b[x] + c[x] + d[x]);
        double* to = fine.row(z, y);
        for (int x = 1; x <= fine.n; ++x) to[x] += 0.5 * (faces_[x / 2] + faces_[(x + 1) / 2]);
      }
    });
  }

  void fill_zero(Grid& g) {
    planes(g, [&](int z) {
      std::fill(g.row(z, 0), g.row(z, 0) + static_cast<size_t>(g.n + 2) * (g.n + 2), 0.0);
    });
  }

  Solver& s_;
  const int self_;
  std::vector<double> faces_, edges_;
};

void work(int self, void* data) {
  Worker(*static_cast<Solver*>(data), self).run();
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv, 7);  // two to this power steps per side
  Solver s;
  s.threads = arguments.threads;
  for (long level = 2; level <= arguments.size; ++level) {
    s.u.emplace_back().resize((1 << level) - 1);
    s.r.emplace_back().resize((1 << level) - 1);
  }
  if (s.u.size() < 2) {
    fprintf(stderr, "multigrid: SIZE must be at least 3\n");
    return 2;
  }
  s.v.resize((1 << arguments.size) - 1);
  uint64_t seed = 23;
  for (int i = 0; i < 20; ++i) {  // charges here and there
    const auto at = [&] { return 1 + static_cast<int>(next_random(&seed) % s.v.n); };
    const int z = at(), y = at(), x = at();
    s.v.row(z, y)[x] = i % 2 ? 1.0 : -1.0;
  }
  s.norm.resize(s.threads);
  pthread_barrier_init(&s.barrier, nullptr, s.threads);
  run_threads(s.threads, work, &s);
  double sum = 0;
  for (double norm : s.norm) sum += norm;
  if (!(sum < 1e-6)) {
    fprintf(stderr, "multigrid: does not converge, norm %g\n", std::sqrt(sum));
    return 70;
  }
  return finish(std::sqrt(sum) * 1e9 + static_cast<double>(s.points), __FILE__);
}
