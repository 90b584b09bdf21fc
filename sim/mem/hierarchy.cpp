#include "sim/mem/hierarchy.h"

#include <bit>

namespace redflag::sim {
namespace {

constexpr std::uint64_t bit(std::uint32_t core) {
  return std::uint64_t{1} << core;
}

}  // namespace

Hierarchy::Hierarchy(const CpuMachine& machine, std::uint64_t watched)
    : machine_(machine), watched_(watched), l3_(machine.l3()) {
  REDFLAG_CHECK(machine.fault().empty());
  cores_.reserve(machine.cores);
  for (std::uint32_t i = 0; i < machine.cores; ++i) cores_.emplace_back(machine);
  evictions_.reserve(64);
}

std::uint32_t Hierarchy::miss(std::uint32_t core, std::uint64_t address, Access kind) {
  const bool write = kind != Access::kRead;
  if (machine_.l2_bytes != 0) {
    if (const Copy* known = cores_[core].l2.lookup(address); known != nullptr) {
      Copy copy = *known;
      const bool shared = write && copy.state == Mesi::kShared;
      if (shared) upgrade(core, address, copy.way);
      if (write) copy.state = Mesi::kModified;
      fill_l1(core, address, copy);
      return shared ? found(Level::kRemote, machine_.remote_l2_cycles)
                    : found(Level::kL2, machine_.l2_cycles);
    }
  }
  SharedLine* line = l3_.lookup(address);
  if (line == nullptr) {
    Cache<SharedLine>::Line victim;
    if (l3_.insert(address, {bit(core), 1}, victim)) {
      take_from(victim.payload.sharers, victim.address);
      note(victim.address, core, true);
    }
    fill_private(core, address, *l3_.probe(address), write ? Mesi::kModified : Mesi::kExclusive);
    return kind == Access::kCreate ? found(Level::kL3, machine_.l3_cycles)
                                   : found(Level::kMemory, machine_.memory_cycles);
  }
  const std::uint64_t others = line->sharers & ~bit(core);
  if (others == 0) {
    *line = {bit(core), 1};
    fill_private(core, address, *line, write ? Mesi::kModified : Mesi::kExclusive);
    return found(Level::kL3, machine_.l3_cycles);
  }
  if (write) {
    *line = {bit(core), 1};
    take_from(others, address);
  } else {
    if (line->exclusive != 0) {
      set_state(static_cast<std::uint32_t>(std::countr_zero(others)), address, Mesi::kShared);
    }
    *line = {others | bit(core), 0};
  }
  fill_private(core, address, *line, write ? Mesi::kModified : Mesi::kShared);
  return found(Level::kRemote, machine_.remote_l2_cycles);
}

// From S to M: all others give the line up.
void Hierarchy::upgrade(std::uint32_t core, std::uint64_t address, std::uint32_t way) {
  l3_.touch(address, way);
  SharedLine& line = l3_.at(address, way);
  const std::uint64_t others = line.sharers & ~bit(core);
  line = {bit(core), 1};
  take_from(others, address);
  set_state(core, address, Mesi::kModified);
}

void Hierarchy::set_state(std::uint32_t core, std::uint64_t address, Mesi state) {
  if (Copy* at = cores_[core].l1.probe(address); at != nullptr) at->state = state;
  if (machine_.l2_bytes == 0) return;
  if (Copy* at = cores_[core].l2.probe(address); at != nullptr) at->state = state;
}

void Hierarchy::take_from(std::uint64_t sharers, std::uint64_t address) {
  for (; sharers != 0; sharers &= sharers - 1) {
    Core& other = cores_[static_cast<std::size_t>(std::countr_zero(sharers))];
    other.l1.invalidate(address);
    if (machine_.l2_bytes != 0) other.l2.invalidate(address);
    ++invalidations_;
  }
}

void Hierarchy::fill_l1(std::uint32_t core, std::uint64_t address, Copy copy) {
  Cache<Copy>::Line victim;
  if (!cores_[core].l1.insert(address, copy, victim)) return;
  if (machine_.l2_bytes == 0) {
    left_private(core, victim.address, victim.payload.way);
    return;
  }
  // Inclusion: the victim is in L2, which learns that it was written.
  if (Copy* below = cores_[core].l2.probe(victim.address); below != nullptr) {
    *below = victim.payload;
  }
  note(victim.address, core, false);
}

// `line` is L3's.
void Hierarchy::fill_private(std::uint32_t core, std::uint64_t address, const SharedLine& line,
                             Mesi state) {
  const Copy copy{state, static_cast<std::uint16_t>(l3_.way_of(address, line))};
  if (machine_.l2_bytes != 0) {
    Cache<Copy>::Line victim;
    if (cores_[core].l2.insert(address, copy, victim)) {
      if (cores_[core].l1.invalidate(victim.address)) note(victim.address, core, false);
      left_private(core, victim.address, victim.payload.way);
    }
  }
  fill_l1(core, address, copy);
}

void Hierarchy::left_private(std::uint32_t core, std::uint64_t address, std::uint32_t way) {
  if (machine_.l2_bytes == 0) note(address, core, false);
  SharedLine& line = l3_.at(address, way);
  line.sharers &= ~bit(core);
  if (line.sharers == 0) line.exclusive = 0;
}

bool Hierarchy::drop(std::uint32_t core, std::uint64_t address) {
  SharedLine* line = l3_.probe(address);
  if (line == nullptr) return true;
  if ((line->sharers & bit(core)) != 0) take_from(bit(core), address);
  line->sharers &= ~bit(core);
  if (line->sharers != 0) return false;
  l3_.invalidate(address);
  return true;
}

bool Hierarchy::drop_everywhere(std::uint64_t address) {
  SharedLine was;
  if (!l3_.invalidate(address, &was)) return false;
  take_from(was.sharers, address);
  return true;
}

Mesi Hierarchy::state(std::uint32_t core, std::uint64_t address) {
  if (const Copy* at = cores_[core].l1.probe(address); at != nullptr) return at->state;
  if (machine_.l2_bytes == 0) return Mesi::kInvalid;
  const Copy* at = cores_[core].l2.probe(address);
  return at != nullptr ? at->state : Mesi::kInvalid;
}

std::uint64_t Hierarchy::count(Level level) const {
  if (level != Level::kL1) return found_[static_cast<std::size_t>(level)];
  std::uint64_t hits = accesses_;
  for (const std::uint64_t n : found_) hits -= n;
  return hits;
}

std::string_view Hierarchy::inconsistency() {
  std::string_view fault;
  for (std::uint32_t i = 0; i < cores_.size(); ++i) {
    cores_[i].l1.for_each([&](std::uint64_t address, Copy& copy) {
      const Copy* below = machine_.l2_bytes != 0 ? cores_[i].l2.probe(address) : &copy;
      if (below == nullptr) {
        fault = "a line of L1 is not in its L2";
      } else if ((below->state == Mesi::kShared) != (copy.state == Mesi::kShared)) {
        fault = "L1 and L2 do not agree whether a line is shared";
      }
    });
    (machine_.l2_bytes != 0 ? cores_[i].l2 : cores_[i].l1).for_each([&](std::uint64_t a, Copy& c) {
      const SharedLine* line = l3_.probe(a);
      if (line == nullptr) {
        fault = "a private line is not in L3";
      } else if (line != &l3_.at(a, c.way)) {
        fault = "a private line is elsewhere in L3";
      } else if ((line->sharers & bit(i)) == 0) {
        fault = "the directory does not know a sharer";
      }
    });
  }
  l3_.for_each([&](std::uint64_t address, SharedLine& line) {
    if ((line.exclusive != 0) !=
        (std::popcount(std::uint64_t{line.sharers}) == 1 &&
         state(static_cast<std::uint32_t>(std::countr_zero(std::uint64_t{line.sharers})),
               address) != Mesi::kShared)) {
      fault = "the directory and a core do not agree whether a line is exclusive";
    }
    for (std::uint64_t s = line.sharers; s != 0; s &= s - 1) {
      const Mesi at = state(static_cast<std::uint32_t>(std::countr_zero(s)), address);
      if (at == Mesi::kInvalid) fault = "the directory names a core that has not the line";
      if (at != Mesi::kShared && line.exclusive == 0) fault = "an exclusive line has other sharers";
    }
  });
  return fault;
}

}  // namespace redflag::sim
