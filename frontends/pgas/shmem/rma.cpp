#include "frontends/pgas/shmem/rma.h"

#include <optional>

#include "frontends/pgas/shmem/misuse.h"

namespace redflag::pgas::shmem {
namespace {

constexpr std::size_t kMostOfAFlag = 8;  // bytes

// Into `to`, whose room is used again.
void pieces(std::size_t element, std::size_t count, std::ptrdiff_t stride, std::vector<Piece>& to) {
  to.clear();
  if (stride == 1) {
    to.push_back({0, element * count});
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i * element) * stride;
    to.push_back({static_cast<std::uint64_t>(at), element});
  }
}

class FlagAt : public FlagWriter {
 public:
  FlagAt(mpi::Flags& flags, int target, const Place& place)
      : flags_(flags), target_(target), place_(place) {
    flags_.prefetch(target_, place_);
  }
  bool leave(std::uint64_t record, const Words& words) override {
    return flags_.write(target_, place_, record, words);
  }

 private:
  mpi::Flags& flags_;
  int target_;
  Place place_;
};

}  // namespace

std::uint64_t before(const LibraryCall& call, const Operation& operation) {
  const std::optional<Place> place = target_of(call, operation);
  if (!place) return 0;
  State* const s = state();
  TargetAccess access;
  std::optional<FlagAt> flag;
  if (operation.is_flag || (operation.kind == AccessKind::kPut && operation.count == 1 &&
                            operation.element <= kMostOfAFlag)) {
    access.flag = &flag.emplace(s->flags, operation.pe, *place);
  }
  const bool fills = operation.kind == AccessKind::kGet;
  thread_local std::vector<Piece> local;
  thread_local std::vector<Piece> remote;
  pieces(operation.element, operation.count, operation.local_stride, local);
  pieces(operation.element, operation.count, operation.remote_stride, remote);
  const OriginBuffer buffer{reinterpret_cast<std::uint64_t>(operation.local), local,
                            fills ? AccessKind::kOriginWrite : AccessKind::kOriginRead};
  const bool has_buffer = operation.local != nullptr;
  if (has_buffer && !operation.is_nonblocking && call.thread != nullptr) {
    // Of a PE with one thread, nobody else uses the buffer before the call returns.
    std::optional<hold::Pause> pause;
    if (hold::holder() != nullptr && s->job.runtime()->threads() == 1) pause.emplace(call);
    for (const Piece& piece : local) {
      const std::uint64_t at = buffer.address + piece.offset;
      if (fills) {
        s->job.runtime()->write(call.thread, reinterpret_cast<void*>(at), piece.size);
      } else {
        s->job.runtime()->read(call.thread, reinterpret_cast<const void*>(at), piece.size);
      }
    }
  }
  access.rank = static_cast<std::uint32_t>(operation.pe);
  access.window = place->object;
  // In bytes: pieces alike are one shape (record.h).
  access.displacement = static_cast<std::int64_t>(place->offset);
  access.group = s->group(operation.context);
  access.pieces = remote;
  access.kind = operation.kind;
  if (info(operation.kind).is_atomic) {
    access.atomicity = {operation.type, 1, static_cast<std::uint16_t>(operation.element), true};
  }
  const bool pends = has_buffer && operation.is_nonblocking;
  const Job::Issued issued = s->issue(call, std::span(&buffer, pends ? 1 : 0), access,
                                      operation.ends_alone ? Ends::kAlone : Ends::kTogether);
  if (issued.to_tell) {
    s->tell(operation.pe, *place, issued);
    s->job.told(call);
  }
  return issued.number;
}

void hold_at_once(std::uint64_t number) {
  hold::Holder* const holding = hold::holder();
  if (holding != nullptr && number != 0) holding->hold(std::span(&number, 1));
}

std::shared_ptr<const std::vector<std::byte>> copy_if_deferred(const Operation& operation,
                                                               std::uint64_t number) {
  hold::Holder* const holding = number == 0 ? nullptr : hold::holder();
  if (holding == nullptr || operation.local_stride < 1 || !holding->defers(number)) return nullptr;
  const auto* const from = static_cast<const std::byte*>(operation.local);
  const std::size_t elements =
      (operation.count - 1) * static_cast<std::size_t>(operation.local_stride) + 1;
  return std::make_shared<const std::vector<std::byte>>(from, from + elements * operation.element);
}

void after(const LibraryCall& call, std::uint64_t number) {
  if (state() != nullptr && number != 0) {
    if (hold::Holder* const holding = hold::holder()) {
      holding->complete_operation(Completes::kRemotely, number);
    }
    state()->job.complete_operation(call, Completes::kRemotely, number);
  }
}

}  // namespace redflag::pgas::shmem
