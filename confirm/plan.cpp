#include "confirm/plan.h"

#include <algorithm>

namespace redflag::confirm {
namespace {

// What changes from attempt to attempt: which statements hold.
constexpr std::array<std::array<bool, 2>, 4> kWays{
    {{true, true}, {true, true}, {true, false}, {false, true}}};
constexpr std::uint32_t kMostDoublings = 4;
constexpr std::uint32_t kHoldsPerRun = 6;  // that may time out, of each pair
constexpr std::size_t kMostHints = 16;

}  // namespace

Attempt Plan::attempt(std::size_t pair) const {
  const State& state = states_[pair];
  return {pair, kWays[state.tried % kWays.size()], state.hints};
}

std::optional<Trial> Plan::next() {
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
    ++state.tried;
    if (outcomes[i].met && state.confirmed_in == 0) state.confirmed_in = state.tried;
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
