#include "frontends/pgas/shmem/rma.h"

namespace redflag::pgas::shmem {
namespace {

constexpr std::size_t kMostOfAFlag = 8;  // bytes

std::vector<Piece> pieces(std::size_t element, std::size_t count, std::ptrdiff_t stride) {
  if (stride == 1) return {{0, element * count}};
  std::vector<Piece> made;
  for (std::size_t i = 0; i < count; ++i) {
    made.push_back(
        {static_cast<std::uint64_t>(static_cast<std::ptrdiff_t>(i * element) * stride), element});
  }
  return made;
}

}  // namespace

std::uint64_t before(const LibraryCall& call, const Operation& operation) {
  State* const s = state();
  if (s == nullptr || operation.count == 0 || operation.pe < 0 ||
      static_cast<std::uint32_t>(operation.pe) >= s->transport.size()) {
    return 0;
  }
  const std::optional<Place> place = s->place(operation.remote);
  if (!place) return 0;
  const bool fills = operation.kind == AccessKind::kGet;
  const std::vector<Piece> local =
      pieces(operation.element, operation.count, operation.local_stride);
  const OriginBuffer buffer{reinterpret_cast<std::uint64_t>(operation.local), local,
                            fills ? AccessKind::kOriginWrite : AccessKind::kOriginRead};
  const bool has_buffer = operation.local != nullptr;
  if (has_buffer && !operation.is_nonblocking && call.thread != nullptr) {
    for (const Piece& piece : local) {
      const std::uint64_t at = buffer.address + piece.offset;
      if (fills) {
        s->job.runtime()->write(call.thread, reinterpret_cast<void*>(at), piece.size);
      } else {
        s->job.runtime()->read(call.thread, reinterpret_cast<const void*>(at), piece.size);
      }
    }
  }
  std::vector<Piece> remote = pieces(operation.element, operation.count, operation.remote_stride);
  for (Piece& piece : remote) piece.offset += place->offset;
  TargetAccess access;
  access.rank = static_cast<std::uint32_t>(operation.pe);
  access.window = place->object;
  access.group = s->group(operation.context);
  access.pieces = remote;
  access.kind = operation.kind;
  if (info(operation.kind).is_atomic) {
    access.atomicity = {operation.type, 1, static_cast<std::uint16_t>(operation.element), true};
  }
  const bool pends = has_buffer && operation.is_nonblocking;
  const bool is_flag =
      operation.is_flag || (operation.kind == AccessKind::kPut && operation.count == 1 &&
                            operation.element <= kMostOfAFlag);
  const std::uint64_t number =
      s->job.issue(call, std::span(&buffer, pends ? 1 : 0), &access, true,
                   is_flag || operation.ends_alone ? Ends::kAlone : Ends::kTogether);
  if (is_flag) s->tell(call, operation.pe, *place, number);
  return number;
}

void after(const LibraryCall& call, std::uint64_t number) {
  if (state() != nullptr && number != 0) {
    state()->job.complete_operation(call, Completes::kRemotely, number);
  }
}

}  // namespace redflag::pgas::shmem
