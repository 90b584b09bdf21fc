#include "cli/hold_board.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#include "frontends/cpu/wire/hold.h"

namespace redflag::cli {
namespace {

// The number of a module on the board, put there if it is new; kHoldModules: there is no room.
std::uint32_t module_number(wire::HoldBoard& board, const std::string& path,
                            symbolize::Symbolizer& symbolizer) {
  for (std::uint32_t i = 0; i < board.modules; ++i) {
    if (path == board.module[i].path) return i;
  }
  const auto first = symbolizer.first_mapping(path);
  if (!first || board.modules == wire::kHoldModules ||
      path.size() >= sizeof(board.module[0].path)) {
    return wire::kHoldModules;
  }
  wire::HoldModule& module = board.module[board.modules];
  module.first_offset = first->offset;
  module.first_address = first->address;
  std::memcpy(module.path, path.c_str(), path.size() + 1);
  return board.modules++;
}

std::vector<confirm::Arrival> arrivals(const wire::HoldSide& side) {
  std::vector<confirm::Arrival> out;
  for (std::uint32_t i = 0; i < std::min(side.learned, wire::kHoldHints); ++i) {
    out.push_back({side.learn[i].thread, side.learn[i].count});
  }
  return out;
}

}  // namespace

Result<HoldBoard> HoldBoard::make(const confirm::Trial& trial,
                                  const std::vector<confirm::Pair>& pairs,
                                  symbolize::Symbolizer& symbolizer) {
  const int fd = ::memfd_create("redflag-hold", MFD_CLOEXEC);
  if (fd < 0) return fail(std::string("no memory file: ") + std::strerror(errno));
  void* mapped = MAP_FAILED;
  if (::ftruncate(fd, sizeof(wire::HoldBoard)) == 0) {
    mapped = ::mmap(nullptr, sizeof(wire::HoldBoard), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  if (mapped == MAP_FAILED) {
    const int fault = errno;
    ::close(fd);
    return fail(std::string("no memory file: ") + std::strerror(fault));
  }
  auto* const board = static_cast<wire::HoldBoard*>(mapped);
  HoldBoard made(fd, board);
  made.attempts_ = std::min<std::size_t>(trial.attempts.size(), wire::kHoldPairs);
  board->magic = wire::kHoldMagic;
  board->patience = trial.patience * 1000;
  board->budget = trial.budget * 1000;
  board->seed = trial.seed;
  board->strong = trial.strong ? 1 : 0;
  board->pairs = static_cast<std::uint32_t>(made.attempts_);
  for (std::uint32_t i = 0; i < made.attempts_; ++i) {
    const confirm::Attempt& attempt = trial.attempts[i];
    board->locks |= pairs[attempt.pair].by_locks ? 1U : 0U;
    for (std::uint32_t s = 0; s < 2; ++s) {
      wire::HoldSide& side = board->side[2 * i + s];
      side.held = attempt.held[s] ? 1 : 0;
      side.defer = static_cast<std::uint32_t>(attempt.defer);
      side.only_hints = attempt.only_hints && !attempt.hints[s].empty() ? 1 : 0;
      for (const confirm::Arrival& hint : attempt.hints[s]) {
        if (side.hints < wire::kHoldHints) side.hint[side.hints++] = {hint.thread, hint.count};
      }
      for (const confirm::Statement& statement : pairs[attempt.pair].sides[s]) {
        const std::uint32_t module = module_number(*board, statement.module, symbolizer);
        if (module == wire::kHoldModules || board->statements == wire::kHoldStatements) {
          return fail("needed: room for the statements of " + std::to_string(made.attempts_) +
                      " pairs\nfound: too many places in the code, at " + statement.module);
        }
        board->statement[board->statements++] = {statement.begin, statement.end, module, 2 * i + s};
      }
    }
  }
  return made;
}

HoldBoard::HoldBoard(HoldBoard&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      board_(std::exchange(other.board_, nullptr)),
      attempts_(other.attempts_) {}

HoldBoard::~HoldBoard() {
  if (board_ != nullptr) ::munmap(board_, sizeof(wire::HoldBoard));
  if (fd_ >= 0) ::close(fd_);
}

std::string HoldBoard::path() const {
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(fd_);
}

std::vector<confirm::Outcome> HoldBoard::outcomes() const {
  std::vector<confirm::Outcome> out;
  for (std::size_t i = 0; i < attempts_; ++i) {
    confirm::Outcome one;
    one.met = board_->pair[i].met.load() != 0;
    for (std::size_t s = 0; s < 2; ++s) {
      const wire::HoldSide& side = board_->side[2 * i + s];
      const wire::HoldPlace& place = board_->pair[i].place[s];
      one.places[s] = {
          {place.arrival.thread, place.arrival.count},
          place.memory.begin,
          place.memory.begin +
              (std::max<std::uint64_t>(place.memory.count, 1) - 1) * place.memory.step +
              place.memory.size};
      one.reached[s] = one.met || side.arrivals != 0;
      one.learned[s] = arrivals(side);
    }
    out.push_back(std::move(one));
  }
  return out;
}

std::uint32_t HoldBoard::processes() const {
  return board_->processes.load();
}

}  // namespace redflag::cli
