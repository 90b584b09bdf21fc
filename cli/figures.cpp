#include "cli/figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/report/words.h"

namespace redflag::cli {
namespace {

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", digits, value);
  return text;
}

std::string bytes_text(double value) {
  constexpr std::array<const char*, 4> kUnits{"bytes", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fixed(value, unit == 0 ? 0 : 1) + " " + kUnits[unit];
}

// SlimFast and FastTrack know their peak exactly; others are asked once a batch.
double peak_of(const ScanFigures& shard) {
  auto peak = static_cast<double>(shard.peak_bytes);
  for (const Counter& counter : shard.counters) {
    if (counter.name == "max metadata") peak = std::max(peak, counter.value);
  }
  return peak;
}

std::vector<Counter> cost(const std::vector<ScanFigures>& shards) {
  double total = 0;
  double reading = 0;
  double peak = 0;
  double touched = 0;
  for (const ScanFigures& shard : shards) {
    if (shard.read_seconds + shard.detect_seconds > total) {
      total = shard.read_seconds + shard.detect_seconds;
      reading = shard.read_seconds;
    }
    peak += peak_of(shard);
    touched = std::max(touched, static_cast<double>(shard.touched_bytes));
  }
  if (total == 0) return {};
  return {
      {"slowdown over reading", reading == 0 ? 0 : total / reading, "x"},
      {"memory over the program's", touched == 0 ? 0 : (touched + peak) / touched, "x"},
      {"time reading", reading, "s"},
      {"time detecting", total - reading, "s"},
      {"program memory touched", touched, "bytes"},
      {"peak metadata", peak, "bytes"},
  };
}

struct Row {
  std::string name;
  std::vector<std::string> cells;
};

std::vector<Row> rows_of(const std::vector<ScanFigures>& shards) {
  std::vector<Row> rows;
  for (const Counter& counter : cost(shards)) {
    rows.push_back({counter.name, {value_text(counter)}});
  }
  for (std::size_t i = 0; i < shards.size(); ++i) {
    for (const Counter& counter : shards[i].counters) {
      auto row = std::find_if(rows.begin(), rows.end(),
                              [&counter](const Row& r) { return r.name == counter.name; });
      if (row == rows.end()) row = rows.insert(rows.end(), Row{counter.name, {}});
      row->cells.resize(std::max(row->cells.size(), i + 1));
      row->cells[i] = value_text(counter);
    }
  }
  return rows;
}

}  // namespace

std::vector<Counter> report_figures(const std::vector<ScanFigures>& shards) {
  std::vector<Counter> all = cost(shards);
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const std::string suffix =
        shards.size() == 1 ? std::string() : " (shard " + std::to_string(i) + ")";
    for (Counter counter : shards[i].counters) {
      counter.name += suffix;
      all.push_back(std::move(counter));
    }
  }
  return all;
}

std::string figures_table(const std::vector<ScanFigures>& shards) {
  std::vector<Row> rows = rows_of(shards);
  if (rows.empty()) return {};
  if (shards.size() > 1) {
    Row head{"shard", {}};
    for (std::size_t i = 0; i < shards.size(); ++i) head.cells.push_back(std::to_string(i));
    rows.insert(rows.begin(), std::move(head));
  }
  std::size_t name_width = 0;
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    name_width = std::max(name_width, row.name.size());
    widths.resize(std::max(widths.size(), row.cells.size()));
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      widths[i] = std::max(widths[i], row.cells[i].size());
    }
  }
  std::string text;
  for (const Row& row : rows) {
    text += "  " + row.name + std::string(name_width - row.name.size(), ' ');
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      text += "  " + std::string(widths[i] - row.cells[i].size(), ' ') + row.cells[i];
    }
    text += '\n';
  }
  return text;
}

std::string value_text(const Counter& counter) {
  if (!std::isfinite(counter.value)) return "-";
  if (counter.unit == "%") return fixed(counter.value, 1) + " %";
  if (counter.unit == "x") return fixed(counter.value, 2) + " x";
  if (counter.unit == "s") return fixed(counter.value, 3) + " s";
  if (counter.unit == "bytes") return bytes_text(counter.value);
  const double rounded = std::round(counter.value);
  if (counter.value >= 0 && rounded == counter.value && rounded < 1e18) {
    return with_separators(static_cast<std::uint64_t>(rounded));
  }
  return fixed(counter.value, 2);
}

}  // namespace redflag::cli
