#include "tests/oracle/parsnip_variants.h"

#include <cstdio>

namespace redflag {
namespace {

// A machine that looks at itself: refs, counts, directory and presence must agree at every step.
class SelfChecking final : public Detector {
 public:
  SelfChecking(const ParsnipVariant& variant, const DetectorOptions& options)
      : machine_(machine_of(variant), variant.parameters, options),
        every_step_(variant.small_caches) {}

  void on_events(std::span<const Event> events, EventIndex first) override {
    for (std::size_t i = 0; i < events.size(); ++i) {
      machine_.on_event(events[i], EventIndex{raw(first) + i});
      if (every_step_) expect_consistent();
    }
  }
  void finish() override { expect_consistent(); }

 private:
  static sim::CpuMachine machine_of(const ParsnipVariant& variant) {
    sim::CpuMachine m;
    m.cores = variant.cores;
    if (variant.small_caches) {
      m.l1_bytes = 256;
      m.l1_ways = 2;
      m.l2_bytes = 512;
      m.l2_ways = 2;
      m.l3_bytes = 2048;
      m.l3_ways = 4;
    } else {
      m.l3_bytes = std::uint64_t{1} << 20;  // as good as 32 MB for these programs, and sooner made
    }
    return m;
  }
  void expect_consistent() {
    const std::string_view fault = machine_.inconsistency();
    if (!fault.empty()) {
      std::fprintf(stderr, "inconsistent: %.*s\n", static_cast<int>(fault.size()), fault.data());
    }
    REDFLAG_CHECK(fault.empty());
  }

  sim::parsnip::ParsnipMachine machine_;
  bool every_step_;
};

}  // namespace

std::unique_ptr<Detector> make_parsnip(std::string_view name, const DetectorOptions& options) {
  for (const ParsnipVariant& v : parsnip_variants()) {
    if (v.name == name) return std::make_unique<SelfChecking>(v, options);
  }
  return nullptr;
}

}  // namespace redflag
