#include "cli/parcel.h"

#include "core/base/packing.h"

namespace redflag::cli {
namespace {

template <typename Io>
void visit(Io& io, ScanFigures& figures) {
  io.list(figures.counters, [&](Counter& counter) {
    io.text(counter.name);
    io.number(counter.value);
    io.text(counter.unit);
  });
  io.number(figures.read_seconds);
  io.number(figures.detect_seconds);
  io.number(figures.peak_bytes);
  io.number(figures.touched_bytes);
}

template <typename Io>
void visit(Io& io, ScanResult& result) {
  io.number(result.events);
  io.raw(result.races);
  io.number(result.dropped);
  io.number(result.errors);
  io.list(result.problems, [&](std::string& problem) { io.text(problem); });
  io.text(result.broken_promise);
  io.list(result.figures, [&](ScanFigures& figures) { visit(io, figures); });
}

}  // namespace

std::string pack(const Result<ScanResult>& result) {
  Packer packer;
  bool is_good = result.has_value();
  packer.flag(is_good);
  if (result) {
    ScanResult copy = *result;
    visit(packer, copy);
  } else {
    std::string message = result.error().message;
    packer.text(message);
  }
  return std::move(packer.out);
}

Result<ScanResult> unpack(std::string_view bytes) {
  Unpacker unpacker{.in = bytes};
  bool is_good = false;
  unpacker.flag(is_good);
  if (!is_good) {
    std::string message;
    unpacker.text(message);
    return fail(unpacker.is_done() ? message : "the error of a rank did not arrive whole");
  }
  ScanResult result;
  visit(unpacker, result);
  if (!unpacker.is_done()) return fail("the result of a rank did not arrive whole");
  return result;
}

}  // namespace redflag::cli
