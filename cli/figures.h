// Figures: what --stats shows: the detector's own counters, and what the run cost.
//
// With the detector's counters these are the columns of table 3.1 of the SlimFast dissertation. The
// two that need the run without a detector are made here: "slowdown over reading" is the time of
// reading and detecting by that of reading alone, and "memory over the program's" is the touched
// pages and the peak of the metadata by the touched pages. Shards have their own columns, and the
// cost is that of the slowest shard and of all their memory.
#pragma once

#include <string>
#include <vector>

#include "cli/scan.h"
#include "core/model/finding.h"

namespace redflag::cli {

// For Report::stats; with more than one shard, each shard's counters carry its number.
std::vector<Counter> report_figures(const std::vector<ScanFigures>& shards);

// The same as a table for the terminal, one column for each shard.
std::string figures_table(const std::vector<ScanFigures>& shards);

// "12,345", "42.1 %", "3.4 MiB", "2.10 x"
std::string value_text(const Counter& counter);

}  // namespace redflag::cli
