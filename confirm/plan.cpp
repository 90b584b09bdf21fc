#include "confirm/plan.h"

#include <algorithm>

namespace redflag::confirm {
namespace {

// What changes from attempt to attempt: which statements hold.
constexpr std::array<std::array<bool, 2>, 4> kWays{
    {{true, true}, {true, true}, {true, false}, {false, true}}};
// And when operations are done. The first run changes nothing that the program could notice but time.
constexpr std::array kDefers{Defer::kAtOnce, Defer::kLater, Defer::kReversed};
constexpr std::uint32_t kMostDoublings = 4;
constexpr std::uint32_t kHoldsPerRun = 6;  // that may time out, of each pair
constexpr std::size_t kMostHints = 16;
constexpr std::uint32_t kStrongRuns = 3;

}  // namespace

bool Plan::State::is_weak() const {
  return confirmed_in == 0 && unordered_in != 0 && strong_tried >= kStrongRuns && strong_near &&
         !strong_unordered;
}

// Half of the runs come before: to meet is the better evidence.
bool Plan::wants_strong(const State& state) const {
  return !options_.is_job && state.confirmed_in == 0 && state.unordered_in != 0 &&
         state.strong_tried < kStrongRuns && !state.strong_unordered &&
         state.tried >= (options_.runs + 1) / 2;
}

std::optional<Trial> Plan::next_strong() {
  Trial trial;
  trial.strong = true;
  for (std::size_t i = 0; i < states_.size() && trial.attempts.size() < options_.together; ++i) {
    if (wants_strong(states_[i])) trial.attempts.push_back({i, {false, false}, false, {}, {}});
  }
  if (trial.attempts.empty()) return std::nullopt;
  trial.seed = ++made_;
  return trial;
}

Attempt Plan::attempt(std::size_t pair) const {
  const State& state = states_[pair];
  // Most of the time: where the other side came near once it will again, and threads that are held
  // elsewhere before come too late.
  const bool defers = options_.is_job && may_defer_;
  return {pair, kWays[state.tried % kWays.size()], state.tried % 5 != 4, state.hints,
          defers ? kDefers[state.tried % kDefers.size()] : Defer::kAtOnce};
}

std::optional<Trial> Plan::next() {
  if (std::optional<Trial> trial = next_strong()) return trial;
  const auto first =
      std::min_element(states_.begin(), states_.end(), [this](const State& a, const State& b) {
        return std::pair(!is_open(a), a.tried) < std::pair(!is_open(b), b.tried);
      });
  if (first == states_.end() || !is_open(*first)) return std::nullopt;
  const std::uint32_t tried = first->tried;
  Trial trial;
  trial.attempts.push_back(attempt(static_cast<std::size_t>(first - states_.begin())));
  for (auto other = first + 1; other != states_.end() && tried < options_.runs / 2; ++other) {
    if (trial.attempts.size() == options_.together) break;
    if (!is_open(*other) || other->tried != tried) continue;
    trial.attempts.push_back(attempt(static_cast<std::size_t>(other - states_.begin())));
  }
  const auto ways = static_cast<std::uint32_t>(kWays.size());
  trial.patience = options_.patience << std::min(tried / ways, kMostDoublings);
  trial.budget = trial.patience * kHoldsPerRun * static_cast<std::uint32_t>(trial.attempts.size());
  trial.seed = ++made_;
  return trial;
}

void Plan::record(const Trial& trial, const std::vector<Outcome>& outcomes) {
  for (std::size_t i = 0; i < trial.attempts.size() && i < outcomes.size(); ++i) {
    State& state = states_[trial.attempts[i].pair];
    if (trial.strong) {
      ++state.strong_tried;
      state.strong_unordered |= outcomes[i].unordered;
      state.strong_near |= !outcomes[i].learned[0].empty() && !outcomes[i].learned[1].empty();
      continue;
    }
    ++state.tried;
    if (outcomes[i].unordered && state.unordered_in == 0) state.unordered_in = state.tried;
    const bool is_seen = outcomes[i].met && (!options_.is_job || outcomes[i].unordered);
    if (is_seen && state.confirmed_in == 0) state.confirmed_in = state.tried;
    for (std::size_t s = 0; s < 2; ++s) {
      state.reached[s] |= outcomes[i].reached[s];
      for (const Arrival& arrival : outcomes[i].learned[s]) {
        std::vector<Arrival>& hints = state.hints[s];
        if (std::find(hints.begin(), hints.end(), arrival) != hints.end()) continue;
        if (hints.size() == kMostHints) hints.erase(hints.begin());
        hints.push_back(arrival);
      }
    }
  }
}

}  // namespace redflag::confirm
