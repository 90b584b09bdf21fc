// The PARSNIP model on a trace: how fast it simulates, and what it counts.
//
//   parsnip_speed FILE.rft [--radish|--radish-ts] [--no-buffers] [--no-prefetch] [--no-speculation]
//                 [--l1|--llc] [--instructions=N]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "core/trace/reader.h"
#include "sim/models/parsnip/sim.h"

namespace {

using namespace redflag;
using namespace redflag::sim;
using namespace redflag::sim::parsnip;

struct CountingSink final : FindingSink {
  void on_race(const Race&) override { ++races; }
  std::uint64_t races = 0;
};

void print(const ParsnipStats& s, double seconds) {
  const auto million = [](std::uint64_t n) { return static_cast<double>(n) / 1e6; };
  std::printf("%.2f M events (%.2f M accesses), %.2f M accesses/s\n", million(s.events),
              million(s.accesses), million(s.accesses) / seconds);
  std::printf("slowdown %.2f (longest core %.2f), baseline CPI %.2f, races %llu\n", s.slowdown(),
              static_cast<double>(s.parsnip_longest) / static_cast<double>(s.baseline_longest),
              static_cast<double>(s.baseline_cycles) / static_cast<double>(s.instructions),
              static_cast<unsigned long long>(s.races));
  if (s.radish_cycles != 0) {
    std::printf("radish slowdown %.2f, software checks %.2f M\n", s.radish_slowdown(),
                million(s.radish_software_checks));
  }
  std::printf("resolved by:");
  for (std::size_t i = 0; i < kSourceCount; ++i) {
    std::printf(" %s %.2f%%", kSourceNames[i].data(),
                100 * s.share(Source{static_cast<std::uint8_t>(i)}));
  }
  std::printf("\noverhead:");
  const auto extra = static_cast<double>(s.parsnip_cycles - s.baseline_cycles);
  for (std::size_t i = 0; i < kCostCount; ++i) {
    std::printf(" %s %.1f%%", kCostNames[i].data(), 100 * static_cast<double>(s.cycles[i]) / extra);
  }
  std::printf(
      "\nper 1K instructions: drains %.3f, evictions %.3f, rejections %.3f, software %.3f (missing "
      "%.3f)\n",
      s.per_thousand_instructions(s.drains), s.per_thousand_instructions(s.evictions),
      s.per_thousand_instructions(s.rejections), s.per_thousand_instructions(s.software_checks),
      s.per_thousand_instructions(s.missing_lines));
  std::printf(
      "buffered %llu, coalesced %llu, to 1:1 %llu, residence changes %llu, context switches %llu\n",
      static_cast<unsigned long long>(s.buffered), static_cast<unsigned long long>(s.coalesced),
      static_cast<unsigned long long>(s.to_one_to_one),
      static_cast<unsigned long long>(s.residence_changes),
      static_cast<unsigned long long>(s.context_switches));
}

int run(const char* path, const ParsnipParameters& parameters, WithRadish radish) {
  auto reader = open_trace(path);
  if (!reader) {
    std::fprintf(stderr, "%s\n", reader.error().message.c_str());
    return 2;
  }
  PageResource memory;
  CountingSink sink;
  DetectorOptions options;
  options.memory = &memory;
  options.sink = &sink;
  ParsnipSim sim(CpuMachine{}, parameters, options, radish);
  double seconds = 0;
  while (true) {
    auto batch = (*reader)->next();
    if (!batch) {
      std::fprintf(stderr, "%s\n", batch.error().message.c_str());
      return 2;
    }
    if (batch->empty()) break;
    const std::clock_t start = std::clock();  // this process's time, whatever else runs
    sim.on_events(*batch);
    seconds += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  }
  print(sim.stats(), seconds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  ParsnipParameters parameters;
  WithRadish radish = WithRadish::kNo;
  for (int i = 2; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--radish") {
      radish = WithRadish::kPerByte;
    } else if (option == "--radish-ts") {
      radish = WithRadish::kTypeSafe;
    } else if (option == "--no-buffers") {
      parameters.epoch_buffers = false;
    } else if (option == "--no-prefetch") {
      parameters.prefetch = false;
    } else if (option == "--no-speculation") {
      parameters.speculation = false;
    } else if (option == "--l1") {
      parameters.residence = Residence::kL1;
    } else if (option == "--llc") {
      parameters.residence = Residence::kLlc;
    } else if (option.starts_with("--instructions=")) {
      parameters.instructions_per_access = static_cast<std::uint32_t>(
          std::strtoul(argv[i] + std::strlen("--instructions="), nullptr, 10));
    } else {
      std::fprintf(stderr, "unknown option %s: see the head of bench/sim/parsnip_speed.cpp\n",
                   argv[i]);
      return 2;
    }
  }
  if (!parameters.fault().empty()) {
    std::fprintf(stderr, "%s\n", parameters.fault().data());
    return 2;
  }
  if (argc < 2) {
    std::fprintf(stderr, "needed: a trace, as 'redflag run --record=FILE.rft' writes it\n");
    return 2;
  }
  return run(argv[1], parameters, radish);
}
