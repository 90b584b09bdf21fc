#include "frontends/pgas/track/statement.h"

#include <algorithm>

#include "frontends/pgas/track/record.h"

namespace redflag::pgas {

Bytes write_statement(const Statement& statement) {
  Bytes bytes;
  Writer out(bytes);
  const Claim& claim = statement.claim;
  out.put(claim.phase);
  out.put(claim.enters);
  out.put(std::uint32_t{claim.has_threads ? 1U : 0U});
  out.put_all(std::span(claim.told));
  out.put_all(std::span(statement.not_for));
  out.put(static_cast<std::uint32_t>(claim.least.size()));
  for (const Knowledge& each : claim.least) write_knowledge(each, bytes);
  return bytes;
}

std::optional<Statement> read_statement(const Bytes& bytes) {
  Reader in(bytes);
  Statement made;
  made.claim.phase = in.take<std::uint32_t>();
  made.claim.enters = in.take<std::uint32_t>();
  made.claim.has_threads = in.take<std::uint32_t>() != 0;
  made.claim.told = in.take_all<Knowledge::Known>();
  made.not_for = in.take_all<std::uint32_t>();
  for (std::uint32_t n = in.take_count(12); n > 0 && in.ok(); --n) {
    made.claim.least.push_back(read_knowledge(in));
  }
  const auto is_in_order = [](const Knowledge::Known& a, const Knowledge::Known& b) {
    return a.thread < b.thread;
  };
  if (!in.ok() || !in.at_end()) return {};
  if (!std::is_sorted(made.claim.told.begin(), made.claim.told.end(), is_in_order)) return {};
  return made;
}

}  // namespace redflag::pgas
