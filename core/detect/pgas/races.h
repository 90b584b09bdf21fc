// Races: which of a phase's accesses race.
//
// Most cannot, and are left out by ever closer looks, cheapest first: those of different phases (a
// barrier of all is between them), those of memory where nothing conflicts (all read, or all are atomic
// alike), and a rank's own loads and stores where no operation came (they race with operations only).
// What is left goes, in an order that agrees with happens-before, into a map of intervals
// (intervals.h): each access is compared with those before it on the same bytes. Where these become
// many, such go as a later write is known to be behind: whoever races with one of them races with
// that write, or was compared already.
//
// Cost: a few nanoseconds for each access that is left out, about a microsecond for the others.
#pragma once

#include <cstdint>
#include <vector>

#include "core/detect/pgas/access.h"

namespace redflag::pgas {

struct Item {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t at = 0;  // the counter of its thread when it was issued
  std::uint32_t shape = 0;
  std::uint32_t fate = 0;
};
static_assert(sizeof(Item) == 32);

struct History {
  std::vector<Shape> shapes;
  std::vector<Fate> fates;
  std::vector<Item> items;

  // With every element of what is strided as an item of its own.
  History cut() const;
  // Some of it, with every element of operations as an item of its own.
  History cut_operations(const std::vector<std::uint32_t>& some) const;

  AccessView view(const Item& item) const {
    return {item.begin, item.end, item.at, shapes[item.shape], fates[item.fate]};
  }
};

struct Race {
  Access first;  // by address, then as they came: there is no order in time
  Access second;
  std::uint64_t begin = 0;  // what both touch
  std::uint64_t end = 0;
  bool is_predicted = false;  // not of this run: predicted.h
  bool is_polling = false;    // polling.h
};

struct Looks {
  // So many accesses of the same bytes are compared with all that follow, whatever is behind them.
  std::size_t keeps = 64;
  bool predicts = false;
};

// Each pair of places once, with the first bytes on which it was seen.
std::vector<Race> races_in(const History& history, const Looks& looks);

}  // namespace redflag::pgas
