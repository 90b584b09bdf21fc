// Datatypes of MPI as the bytes they touch.
//
// A derived type is taken apart once, by MPI_Type_get_envelope and get_contents, into the pieces of one
// element, in order of the type map, joined where they touch. `basic`: the one predefined type that it
// is made of, by which accumulates are compatible; 0: several.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <vector>

#include "frontends/pgas/track/record.h"
#include "frontends/pgas/track/runtime.h"

namespace redflag::pgas::mpi {

struct TypeMap {
  std::vector<Piece> pieces;  // of one element; offsets may be below 0, as two's complement
  std::int64_t extent = 0;
  std::uint16_t basic = 0;  // number of the predefined type; 0: several, or none
  std::uint16_t basic_size = 1;
};

class Types {
 public:
  const TypeMap& of(MPI_Datatype type);
  // Handles are used again for other types.
  void freed(MPI_Datatype type);

  // `count` elements; neighbours joined. Into `to`, whose room is used again.
  void pieces(MPI_Datatype type, std::int64_t count, std::vector<Piece>& to);

 private:
  TypeMap take_apart(MPI_Datatype type);
  static std::uint16_t number(MPI_Datatype predefined);

  CallLock lock_;
  std::map<MPI_Datatype, TypeMap> known_;
  std::atomic<std::uint64_t> freed_{0};  // how many were: what threads remember of them is void
};

}  // namespace redflag::pgas::mpi
