// Option pricing, as in blackscholes: a long list of European options, priced over and over by the
// Black-Scholes formula. Every thread prices its own share: almost no sharing, many floats read
// once per round, one written; the time goes to arithmetic and to touching each element once.
#include <cmath>
#include <vector>

#include "workload.h"

namespace {

constexpr int kRounds = 10;

struct Quote {  // as it comes from the market
  float spot;
  float strike;
  float rate;
  float dividend;
  float volatility;
  float years;
  char kind;  // 'P' or 'C'
  float listed_price;
};

struct Book {
  int threads = 0;
  std::vector<Quote> quotes;
  // As it is priced: one array per quantity.
  std::vector<float> spot, strike, rate, volatility, years, price;
  std::vector<int> is_put;
  std::vector<double> total;  // per thread
  pthread_barrier_t barrier;
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  long mispriced = 0;
};

// The normal distribution function by the five-term polynomial of Abramowitz and Stegun, 26.2.17.
float normal_cdf(float x) {
  const float z = std::fabs(x);
  const float density = 0.39894228F * std::exp(-0.5F * z * z);
  const float k = 1.0F / (1.0F + 0.2316419F * z);
  const float tail =
      density * k *
      (0.31938153F + k * (-0.35656378F + k * (1.78147794F + k * (-1.82125598F + k * 1.33027443F))));
  return x < 0 ? tail : 1.0F - tail;
}

float black_scholes(const Book& book, long i) {
  const float root = std::sqrt(book.years[i]);
  const float sigma = book.volatility[i];
  const float up = (std::log(book.spot[i] / book.strike[i]) +
                    (book.rate[i] + 0.5F * sigma * sigma) * book.years[i]) /
                   (sigma * root);
  const float down = up - sigma * root;
  const float discounted = book.strike[i] * std::exp(-book.rate[i] * book.years[i]);
  if (book.is_put[i]) {
    return discounted * normal_cdf(-down) - book.spot[i] * normal_cdf(-up);
  }
  return book.spot[i] * normal_cdf(up) - discounted * normal_cdf(down);
}

void work(int self, void* data) {
  Book& book = *static_cast<Book*>(data);
  const long n = static_cast<long>(book.quotes.size());
  const long begin = share_begin(n, self, book.threads);
  const long end = share_begin(n, self + 1, book.threads);
  for (long i = begin; i < end; ++i) {
    const Quote& q = book.quotes[i];
    book.spot[i] = q.spot;
    book.strike[i] = q.strike;
    book.rate[i] = q.rate - q.dividend;
    book.volatility[i] = q.volatility;
    book.years[i] = q.years;
    book.is_put[i] = q.kind == 'P';
  }
  double total = 0;
  for (int round = 0; round < kRounds; ++round) {
    pthread_barrier_wait(&book.barrier);
    long mispriced = 0;
    for (long i = begin; i < end; ++i) {
      const float price = black_scholes(book, i);
      book.price[i] = price;
      if (std::fabs(price - book.quotes[i].listed_price) > 1.0F) ++mispriced;
      total += price;
    }
    GUARDED(&book.lock, book.mispriced += mispriced);
  }
  book.total[self] = total;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv, 1'000'000);
  Book book;
  book.threads = arguments.threads;
  book.quotes.resize(arguments.size);
  uint64_t seed = 1;
  for (Quote& q : book.quotes) {
    q.spot = static_cast<float>(40 + 80 * next_uniform(&seed));
    q.strike = static_cast<float>(40 + 80 * next_uniform(&seed));
    q.rate = static_cast<float>(0.02 + 0.08 * next_uniform(&seed));
    q.dividend = 0;
    q.volatility = static_cast<float>(0.1 + 0.5 * next_uniform(&seed));
    q.years = static_cast<float>(0.1 + next_uniform(&seed));
    q.kind = next_random(&seed) % 2 ? 'P' : 'C';
    q.listed_price = static_cast<float>(30 * next_uniform(&seed));
  }
  for (auto* column :
       {&book.spot, &book.strike, &book.rate, &book.volatility, &book.years, &book.price}) {
    column->resize(arguments.size);
  }
  book.is_put.resize(arguments.size);
  book.total.resize(arguments.threads);
  pthread_barrier_init(&book.barrier, nullptr, arguments.threads);
  run_threads(arguments.threads, work, &book);
  double sum = static_cast<double>(book.mispriced);
  for (double total : book.total) sum += total;
  return finish(sum, __FILE__);
}
