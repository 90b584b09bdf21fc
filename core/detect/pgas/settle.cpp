// Phase without a barrier: what is whole is compared, what nobody can race with any more is dropped.
#include <algorithm>
#include <bit>
#include <tuple>

#include "core/detect/pgas/phase.h"
#include "core/detect/pgas/predicted.h"

namespace redflag::pgas {
namespace {

constexpr std::uint32_t kNobody = ~std::uint32_t{0};

// Numbers of what shapes are alike in: of such accesses to the same bytes each may stand for an earlier
// one. The same thread at the same place.
std::vector<std::uint32_t> likeness(const std::vector<Shape>& shapes) {
  const auto key = [](const Shape& s) {
    const Atomicity& a = s.atomicity;
    return std::tuple(s.by, s.kind, s.source, s.object, s.step, s.element, a.type, a.operation,
                      a.element, a.any_operation);
  };
  std::map<decltype(key(Shape{})), std::uint32_t> numbers;
  std::vector<std::uint32_t> made;
  for (const Shape& each : shapes) {
    const auto number = static_cast<std::uint32_t>(numbers.size());
    made.push_back(numbers.emplace(key(each), number).first->second);
  }
  return made;
}

// The latest of those alike, by their bytes: as many as there are items, or fewer.
class Latest {
 public:
  explicit Latest(std::size_t items) : places_(std::bit_ceil(2 * items + 1), kNobody) {}

  // The one that is alike; or nobody, and `item` is it from now on.
  template <typename IsAlike>
  std::uint32_t find_or_be(std::uint64_t key, std::uint32_t item, IsAlike is_alike) {
    const std::size_t last = places_.size() - 1;
    for (std::size_t at = key * 0x9e3779b97f4a7c15U >> 20;; ++at) {
      std::uint32_t& place = places_[at & last];
      if (place != kNobody && !is_alike(place)) continue;
      return place == kNobody ? (place = item, kNobody) : place;
    }
  }

 private:
  std::vector<std::uint32_t> places_;
};

}  // namespace

Phase::Settled Phase::settle(Claims& claims, const Limits& limits) {
  completions_.clear();  // of operations whose accesses were dropped: each follows its own
  std::vector<Item> waiting = take_out_waiting(claims);
  Settled settled;
  if (has_writes_) settled.races = races_in(history_, {.predicts = limits.predicts});
  claims.find_floor(known_by(waiting, limits.predicts));
  drop_known_to_all(claims, limits.kept);
  if (history_.items.size() > limits.few) drop_covered(limits.predicts);
  history_.items.insert(history_.items.end(), waiting.begin(), waiting.end());
  settled.lost = drop_oldest(limits.most);
  drop_unused();
  return settled;
}

std::vector<Item> Phase::take_out_waiting(const Claims& claims) {
  enum : std::uint8_t { kUnknown, kWhole, kWaiting };
  std::vector<std::uint8_t> state(history_.shapes.size(), kUnknown);
  std::vector<Item> waiting;
  std::erase_if(history_.items, [&](const Item& item) {
    std::uint8_t& of = state[item.shape];
    if (of == kUnknown) {
      of = claims.is_whole(*history_.shapes[item.shape].issued) ? kWhole : kWaiting;
    }
    if (of == kWaiting) waiting.push_back(item);
    return of == kWaiting;
  });
  return waiting;
}

std::vector<Knowledge> Phase::known_by(const std::vector<Item>& items, bool for_certain) const {
  std::map<std::uint32_t, std::uint64_t> first;  // by shape: the counter of its thread
  for (const Item& each : items) {
    const auto [at, is_new] = first.emplace(each.shape, each.at);
    if (!is_new) at->second = std::min(at->second, each.at);
  }
  std::vector<Knowledge> made;
  for (const auto& [shape, at] : first) {
    const Knowledge& known = *history_.shapes[shape].issued;
    made.push_back(for_certain ? known.only_certain() : known);
    made.back().learn(history_.shapes[shape].by, at);
  }
  return made;
}

void Phase::drop_known_to_all(const Claims& claims, std::size_t kept) {
  std::vector<Item>& items = history_.items;
  const auto is_known = [&](const Item& item) {
    const Fate& fate = history_.fates[item.fate];
    if (fate.completed != kPending &&
        claims.known_to_all(fate.completed_by, AccessView::completion(fate, item.at))) {
      return true;
    }
    return fate.delivered != kPending && claims.known_to_all(fate.delivered_by, fate.delivered);
  };
  std::vector<bool> known(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) known[i] = is_known(items[i]);
  for (std::size_t i = items.size(); i > 0 && kept > 0; --i) {
    if (!known[i - 1]) continue;
    known[i - 1] = false;
    --kept;
  }
  std::size_t i = 0;
  std::erase_if(items, [&](const Item&) { return known[i++]; });
}

// From the latest to the earliest, in the order of their coming, which is that of each thread. One goes if
// there is a later one alike that it is before, or that is the same but for its counter. Nothing that is
// still to come is before the later one and not before the one that goes: the later one is whole, and has
// been compared with all it knows of.
void Phase::drop_covered(bool for_certain) {
  std::vector<Item>& items = history_.items;
  const std::vector<std::uint32_t> like = likeness(history_.shapes);
  Latest latest(items.size());
  std::vector<bool> is_covered(items.size(), false);
  for (auto i = static_cast<std::uint32_t>(items.size()); i-- > 0;) {
    const Item& item = items[i];
    const std::uint64_t key = (item.begin * 31 + item.end) * 31 + like[item.shape];
    const std::uint32_t found = latest.find_or_be(key, i, [&](std::uint32_t k) {
      const Item& other = items[k];
      return other.begin == item.begin && other.end == item.end &&
             like[other.shape] == like[item.shape];
    });
    if (found == kNobody) continue;
    const Item& later = items[found];
    const AccessView a = history_.view(item);
    const AccessView b = history_.view(later);
    is_covered[i] =
        (later.shape == item.shape && later.fate == item.fate) ||
        (for_certain ? is_certainly_before(a, b) && holds_no_more(b, a) : is_before(a, b));
  }
  std::size_t i = 0;
  std::erase_if(items, [&](const Item&) { return is_covered[i++]; });
}

// A quarter at a time: this is rarely looked at then.
std::size_t Phase::drop_oldest(std::size_t most) {
  std::vector<Item>& items = history_.items;
  if (items.size() <= most) return 0;
  const std::size_t wanted = items.size() - (most - most / 4);
  std::size_t lost = 0;
  std::erase_if(items, [&](const Item& item) {
    if (lost == wanted || history_.fates[item.fate].completed == kPending) return false;
    ++lost;
    return true;
  });
  return lost;
}

}  // namespace redflag::pgas
