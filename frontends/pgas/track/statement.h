// Statement: what a rank has on its board, for all owners of memory to read.
//
// Its claim (core/detect/pgas/claims.h), and the ranks for whom it is not good: there was no room for all
// that was to be told them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/detect/pgas/claims.h"
#include "frontends/pgas/track/bytes.h"

namespace redflag::pgas {

struct Statement {
  Claim claim;
  std::vector<std::uint32_t> not_for;
};

Bytes write_statement(const Statement& statement);
// Nothing: these are not the bytes of one.
std::optional<Statement> read_statement(const Bytes& bytes);

}  // namespace redflag::pgas
