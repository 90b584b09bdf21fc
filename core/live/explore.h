// For tests: every order of the loads and stores of a few threads, under the memory model of x86.
//
// Threads are fibers that stop before each access to a shared word. An explorer runs them again and
// again, each time along another sequence of choices, until no new state is left: a choice is the next
// step of a thread, or that the oldest store in a thread's store buffer becomes visible (x86-TSO). Two
// runs are in the same state when memory and buffers are equal and each thread has read and stored
// the same so far. A thread that waits for a locked word goes on when memory has changed.
//
// Limits: words only; what code does between two accesses of words is one step.
#pragma once

#include <ucontext.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace redflag::live {

class Explorer {
 public:
  using Body = std::function<void()>;

  // Runs `begin`, which makes a fresh state and returns the threads, and `end` after each complete
  // run. Returns how many states there were; 0: more than `most`.
  std::size_t all(const std::function<std::vector<Body>()>& begin, const std::function<void()>& end,
                  std::size_t most) {
    seen_.clear();
    complete_ = 0;
    std::vector<std::vector<unsigned>> todo{{}};
    while (!todo.empty()) {
      const std::vector<unsigned> prefix = std::move(todo.back());
      todo.pop_back();
      follow(begin, end, prefix, todo);
      if (seen_.size() > most) return 0;
    }
    return seen_.size();
  }
  std::size_t complete_runs() const { return complete_; }
  static Explorer*& now() {
    static Explorer* current = nullptr;
    return current;
  }

  // --- In threads.
  template <typename T>
  std::uint64_t load(const T* word) {
    const std::uint64_t value = peek(word);
    if (running_ == kNone) return value;
    stop();
    const std::uint64_t seen = peek(word);
    remember(seen);
    return seen;
  }
  template <typename T>
  void store(T* word, std::uint64_t value) {
    if (running_ == kNone) return write(word, value);
    stop();
    remember(~value);
    fibers_[running_]->buffer.push_back({word, value, sizeof(T)});
  }
  template <typename T>
  bool swap(T* word, std::uint64_t from, std::uint64_t to) {
    if (running_ == kNone) {
      if (peek(word) != from) return false;
      write(word, to);
      return true;
    }
    stop();
    drain(*fibers_[running_]);
    const bool is_equal = peek(word) == from;
    if (is_equal) write(word, to);
    remember(is_equal ? 1 : 2);
    return is_equal;
  }
  void fence() {
    if (running_ == kNone) return;
    stop();
    drain(*fibers_[running_]);
    remember(3);
  }
  // Until memory has changed.
  void wait() {
    Fiber& f = *fibers_[running_];
    f.waits_from = version_;
    f.waits = true;
    stop();
    f.waits = false;
  }

 private:
  static constexpr unsigned kNone = ~0U;
  static constexpr std::size_t kStack = std::size_t{1} << 17;
  struct Store {
    void* word;
    std::uint64_t value;
    unsigned size;
  };
  struct Fiber {
    ucontext_t context;
    Body body;
    std::deque<Store> buffer;
    std::uint64_t history = 0;
    bool done = false;
    bool waits = false;
    std::uint64_t waits_from = 0;
  };

  template <typename T>
  std::uint64_t peek(const T* word) const {
    if (running_ != kNone) {
      const auto& buffer = fibers_[running_]->buffer;
      for (auto it = buffer.rbegin(); it != buffer.rend(); ++it) {
        if (it->word == word) return it->value;
      }
    }
    return *reinterpret_cast<
        const volatile std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>*>(word);
  }
  void write(void* word, std::uint64_t value, unsigned size) {
    ++version_;
    if (size == 8) {
      *static_cast<std::uint64_t*>(word) = value;
    } else {
      *static_cast<std::uint32_t*>(word) = static_cast<std::uint32_t>(value);
    }
    written_[word] = value;
  }
  template <typename T>
  void write(T* word, std::uint64_t value) {
    write(word, value, sizeof(T));
  }
  void drain(Fiber& f) {
    while (!f.buffer.empty()) flush_one(f);
  }
  void flush_one(Fiber& f) {
    const Store s = f.buffer.front();
    f.buffer.pop_front();
    write(s.word, s.value, s.size);
  }
  void remember(std::uint64_t what) {
    std::uint64_t& h = fibers_[running_]->history;
    h = (h ^ what) * 0x9e3779b97f4a7c15ULL + 0x1234567;
    h ^= h >> 29;
  }
  void stop() {
    Fiber& f = *fibers_[running_];
    const unsigned me = running_;
    swapcontext(&f.context, &main_);
    running_ = me;
  }
  static void enter() {
    Explorer* e = now();
    Fiber& f = *e->fibers_[e->running_];
    f.body();
    f.done = true;
    swapcontext(&f.context, &e->main_);
  }

  // Choices are threads, or (from fibers_.size() on) flushes of their buffers.
  bool possible(unsigned choice) const {
    const auto n = static_cast<unsigned>(fibers_.size());
    if (choice >= n) return !fibers_[choice - n]->buffer.empty();
    const Fiber& f = *fibers_[choice];
    return !f.done && !(f.waits && f.waits_from == version_);
  }
  void take(unsigned choice) {
    const auto n = static_cast<unsigned>(fibers_.size());
    if (choice >= n) return flush_one(*fibers_[choice - n]);
    running_ = choice;
    swapcontext(&main_, &fibers_[choice]->context);
    running_ = kNone;
  }
  std::vector<std::uint64_t> state() const {
    std::vector<std::uint64_t> s;
    for (const auto& [word, value] : written_) {
      s.push_back(reinterpret_cast<std::uint64_t>(word));
      s.push_back(value);
    }
    for (const auto& f : fibers_) {
      s.push_back(f->history);
      s.push_back(f->done ? 1 : f->waits ? 2 + (f->waits_from == version_ ? 1 : 0) : 0);
      for (const Store& b : f->buffer) s.push_back(b.value);
      s.push_back(f->buffer.size());
    }
    return s;
  }

  void add_fiber(const Body& body) {
    fibers_.push_back(std::make_unique<Fiber>());
    if (stacks_.size() < fibers_.size()) stacks_.emplace_back(kStack);
    fibers_.back()->body = body;
    ucontext_t& context = fibers_.back()->context;
    getcontext(&context);
    context.uc_stack.ss_sp = stacks_[fibers_.size() - 1].data();
    context.uc_stack.ss_size = kStack;
    context.uc_link = &main_;
    makecontext(&context, &Explorer::enter, 0);
  }

  void follow(const std::function<std::vector<Body>()>& begin, const std::function<void()>& end,
              std::vector<unsigned> path, std::vector<std::vector<unsigned>>& todo) {
    now() = this;
    running_ = kNone;
    fibers_.clear();
    const std::vector<Body> bodies = begin();
    written_.clear();
    version_ = 0;
    for (const Body& body : bodies) {
      add_fiber(body);
    }
    // Up to the first access of each: nothing is shared before.
    for (unsigned t = 0; t < fibers_.size(); ++t) take(t);
    for (const unsigned choice : path) take(choice);
    for (;;) {
      if (!seen_.insert(state()).second) return abandon();
      std::vector<unsigned> choices;
      for (unsigned c = 0; c < 2 * fibers_.size(); ++c) {
        if (possible(c)) choices.push_back(c);
      }
      if (choices.empty()) break;
      for (std::size_t i = 1; i < choices.size(); ++i) {
        path.push_back(choices[i]);
        todo.push_back(path);
        path.pop_back();
      }
      path.push_back(choices[0]);
      take(choices[0]);
    }
    for (const auto& f : fibers_) stuck_ = stuck_ || !f->done;
    ++complete_;
    end();
    fibers_.clear();
  }
  // Fibers that have not ended hold nothing that must be given back.
  void abandon() { fibers_.clear(); }

  std::set<std::vector<std::uint64_t>> seen_;
  std::map<void*, std::uint64_t> written_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::deque<std::vector<char>> stacks_;
  ucontext_t main_{};
  unsigned running_ = kNone;
  std::uint64_t version_ = 0;
  std::size_t complete_ = 0;

 public:
  bool stuck_ = false;  // a run ended with threads that wait for ever
};

}  // namespace redflag::live
