// PARSNIP machines to hold to the oracle: the paper's, and small ones where everything overflows.
//
// Random programs touch a few lines with a few threads; the paper's machine would hardly ever evict,
// reject or drain for them. The small machines have caches of a few lines, two table entries, two
// cores for all threads, and each of the paper's optimisations switched off in turn.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "core/detect/detector.h"
#include "sim/models/parsnip/machine.h"

namespace redflag {

struct ParsnipVariant {
  std::string_view name;
  bool small_caches;
  std::uint32_t cores;
  sim::parsnip::ParsnipParameters parameters;
};

inline const std::array<ParsnipVariant, 10>& parsnip_variants() {
  using sim::parsnip::ParsnipParameters;
  using sim::parsnip::Residence;
  static const std::array<ParsnipVariant, 10> variants = [] {
    ParsnipParameters small;
    small.table_entries = 2;
    small.buffer_entries = 3;
    small.adaptive_window = 8;
    std::array<ParsnipVariant, 10> v{{
        {"parsnip", false, 16, {}},
        {"parsnip-small", true, 16, small},
        {"parsnip-two-cores", true, 2, small},
        {"parsnip-few-tids", true, 4, small},
        {"parsnip-no-buffers", true, 3, small},
        {"parsnip-no-prefetch", true, 3, small},
        {"parsnip-no-speculation", true, 3, small},
        {"parsnip-l1", true, 3, small},
        {"parsnip-llc", true, 3, small},
        {"parsnip-savers-buffer", true, 16, small},
    }};
    v[2].parameters.table_entries = 1;
    v[3].parameters.threads = 2;
    v[4].parameters.epoch_buffers = false;
    v[5].parameters.prefetch = false;
    v[6].parameters.speculation = false;
    v[7].parameters.residence = Residence::kL1;
    v[8].parameters.residence = Residence::kLlc;
    v[9].parameters.owner_buffers = false;
    return v;
  }();
  return variants;
}

// nullptr: no such.
std::unique_ptr<Detector> make_parsnip(std::string_view name, const DetectorOptions& options);

}  // namespace redflag
