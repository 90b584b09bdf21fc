// Comparison: all detectors of the table on one program, and why they disagree with the oracle.
//
//   Comparison comparison(options);
//   tell(comparison);                                  // the whole program
//   comparison.lay_out(place_of_site);
//   Excerpt excerpt(comparison.areas());
//   tell(excerpt);                                     // the same program again
//   comparison.judge(excerpt);
//
// Rows are pairs of source lines, as the oracle (ptx_model) names them; behind them, lines that
// only others report. A detector that names one line has found a pair when it reports either of its
// two. Where a detector differs, the judge looks at the memory of the row's first race (judge.h);
// what it cannot explain is said so. Each detector's time and most metadata are measured.
//
// Limits: at most kMostJudged differences are judged, and none in launches with more than 100,000
// steps of synchronisation. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/detect/gpu/excerpt.h"
#include "core/detect/gpu/gpu_registry.h"
#include "core/detect/gpu/judge.h"
#include "core/detect/gpu/tee.h"

namespace redflag::gpu {

inline constexpr std::size_t kMostJudged = 64;

// What one detector says of one row.
struct Cell {
  bool found = false;
  std::set<Cause> causes{};       // why it differs from the oracle
  std::string instead{};          // the line that it names, of the same memory
  std::string fault{};            // why there is no cause
  const GpuRace* race = nullptr;  // the first that it reported here
};

struct ComparedRow {
  bool is_race = true;        // the oracle's; else reported though ordered
  std::string first, second;  // lines; first may be empty
  Space space = Space::kGlobal;
  std::set<RaceClass> classes;
  GpuRace race;             // the first of them
  std::vector<Cell> cells;  // by detector
};

class Comparison final : public Sink {
 public:
  explicit Comparison(GpuDetectorOptions options = {});

  void launch_begins(const Launch& launch) override;
  void step(const Step& step) override { tee_.step(step); }
  void launch_ends(LaunchId launch) override;
  void host(const HostStep& step) override { tee_.host(step); }

  // `place`: the line of a site, the same text for the same line.
  void lay_out(const std::function<std::string(SiteId)>& place);
  // What must be kept of the program to explain the differences; empty: there are none.
  std::vector<Excerpt::Area> areas() const;
  void judge(const Excerpt& excerpt);

  struct Detector {
    const GpuDetectorInfo* info;
    std::unique_ptr<GpuDetector> detector;
    std::vector<GpuRace> races{};
    std::size_t most_metadata = 0;
  };
  const std::vector<Detector>& detectors() const { return detectors_; }
  const std::vector<ComparedRow>& rows() const { return rows_; }
  double seconds(std::size_t detector) const { return tee_.seconds(detector); }
  std::uint64_t steps() const { return tee_.steps(); }
  std::uint64_t launches() const { return launches_; }

 private:
  struct Difference {
    std::size_t row, detector;
    Excerpt::Area area;
  };
  void put(std::size_t detector, const GpuRace& race);
  void settle(std::size_t row, std::size_t detector);
  void explain(const Difference& one, const Focus& focus);
  void explain_miss(const Difference& one, const Focus& focus);
  void explain_report(const Difference& one, const Focus& focus);
  void explain_definition(const Difference& one, const Focus& focus);

  GpuDetectorOptions options_;
  std::vector<Detector> detectors_;  // the oracle first
  Tee tee_;
  std::uint64_t launches_ = 0;
  std::function<std::string(SiteId)> place_;
  std::vector<ComparedRow> rows_;
  std::vector<Difference> differences_;
};

}  // namespace redflag::gpu
