#include "cli/parcel.h"

#include <cstring>

namespace redflag::cli {
namespace {

class Packer {
 public:
  void number(std::uint64_t value) { raw_bytes(&value, sizeof(value)); }
  void real(double value) { raw_bytes(&value, sizeof(value)); }
  void text(std::string_view value) {
    number(value.size());
    raw_bytes(value.data(), value.size());
  }
  void raw_bytes(const void* data, std::size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    raw_bytes(&value, sizeof(value));
    return value;
  }
  double real() {
    double value = 0;
    raw_bytes(&value, sizeof(value));
    return value;
  }
  std::string text() {
    const std::uint64_t size = count(1);
    std::string value(bytes_.substr(0, size));
    bytes_.remove_prefix(value.size());
    return value;
  }
  // How many elements of at least `each` bytes follow: never more than there are bytes for.
  std::uint64_t count(std::size_t each) {
    const std::uint64_t wanted = number();
    if (wanted <= bytes_.size() / each) return wanted;
    good_ = false;
    return 0;
  }
  void raw_bytes(void* to, std::size_t size) {
    if (size > bytes_.size()) {
      good_ = false;
      return;
    }
    if (size > 0) std::memcpy(to, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }
  bool is_good() const { return good_ && bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool good_ = true;
};

void pack_figures(Packer& out, const ScanFigures& figures) {
  out.number(figures.counters.size());
  for (const Counter& counter : figures.counters) {
    out.text(counter.name);
    out.real(counter.value);
    out.text(counter.unit);
  }
  out.real(figures.read_seconds);
  out.real(figures.detect_seconds);
  out.number(figures.peak_bytes);
  out.number(figures.touched_bytes);
}

ScanFigures unpack_figures(Unpacker& in) {
  ScanFigures figures;
  for (std::uint64_t n = in.count(24); n > 0; --n) {
    Counter counter;
    counter.name = in.text();
    counter.value = in.real();
    counter.unit = in.text();
    figures.counters.push_back(std::move(counter));
  }
  figures.read_seconds = in.real();
  figures.detect_seconds = in.real();
  figures.peak_bytes = in.number();
  figures.touched_bytes = in.number();
  return figures;
}

}  // namespace

std::string pack(const Result<ScanResult>& result) {
  Packer out;
  out.number(result ? 1 : 0);
  if (!result) {
    out.text(result.error().message);
    return out.take();
  }
  out.number(result->events);
  out.number(result->races.size());
  out.raw_bytes(result->races.data(), result->races.size() * sizeof(CollectedRace));
  out.number(result->dropped);
  out.number(result->errors);
  out.number(result->problems.size());
  for (const std::string& problem : result->problems) out.text(problem);
  out.text(result->broken_promise);
  out.number(result->figures.size());
  for (const ScanFigures& figures : result->figures) pack_figures(out, figures);
  return out.take();
}

Result<ScanResult> unpack(std::string_view bytes) {
  Unpacker in(bytes);
  if (in.number() == 0) {
    const std::string message = in.text();
    return fail(in.is_good() ? message : "the error of a rank did not arrive whole");
  }
  ScanResult result;
  result.events = in.number();
  result.races.resize(in.count(sizeof(CollectedRace)));
  in.raw_bytes(result.races.data(), result.races.size() * sizeof(CollectedRace));
  result.dropped = in.number();
  result.errors = in.number();
  for (std::uint64_t n = in.count(8); n > 0; --n) result.problems.push_back(in.text());
  result.broken_promise = in.text();
  for (std::uint64_t n = in.count(40); n > 0; --n) result.figures.push_back(unpack_figures(in));
  if (!in.is_good()) return fail("the result of a rank did not arrive whole");
  return result;
}

}  // namespace redflag::cli
