#include "cli/compared.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "cli/figures.h"
#include "core/base/markup.h"
#include "core/report/json_form.h"
#include "core/report/words.h"

namespace redflag::cli {
namespace {

using gpu::Cause;
using gpu::Cell;
using gpu::ComparedRow;
using gpu::Comparison;

using Line = std::vector<std::string>;

std::string short_place(std::string_view place) {
  const std::size_t slash = place.rfind('/');
  return std::string(slash == std::string_view::npos ? place : place.substr(slash + 1));
}

std::string pair_text(const ComparedRow& row) {
  if (row.first.empty()) return short_place(row.second);
  return short_place(row.first) + " / " + short_place(row.second);
}

std::string classes_text(const ComparedRow& row) {
  if (!row.is_race) return "ordered";
  std::string text;
  for (const gpu::RaceClass each : row.classes) {
    text += (text.empty() ? "" : ", ") + std::string(name(each));
  }
  return text;
}

std::string_view space_name(const ComparedRow& row) {
  return row.space == gpu::Space::kShared ? "shared" : "global";
}

bool differs(const ComparedRow& row, const Cell& cell) {
  return row.is_race != cell.found;
}

std::string cell_text(const ComparedRow& row, const Cell& cell) {
  if (!differs(row, cell)) return cell.found ? "found" : "-";
  if (!cell.instead.empty()) return row.is_race ? "other line" : "same memory";
  std::string text;
  for (const Cause cause : cell.causes) {
    text += (text.empty() ? "" : ", ") + std::string(gpu::name(cause));
  }
  const std::string verdict = row.is_race ? "missed" : "reported";
  return verdict + ": " + (text.empty() ? "?" : text);
}

// One sentence for each difference, under the detector's name.
std::string difference_text(const ComparedRow& row, const Cell& cell) {
  std::string text = (row.is_race ? "missed " : "reported ") + pair_text(row) + ": ";
  if (!cell.instead.empty()) {
    return (row.is_race ? "named " : "reported ") + pair_text(row) +
           (row.is_race ? " by another line of the same memory, "
                        : ", memory on which ptx_model names ") +
           short_place(cell.instead);
  }
  std::string causes;
  for (const Cause cause : cell.causes) {
    causes += (causes.empty() ? "" : "; ") + std::string(gpu::name(cause)) + " (" +
              std::string(gpu::info(cause).because) + ")";
  }
  if (!cell.fault.empty()) causes += (causes.empty() ? "" : "; ") + cell.fault;
  return text + causes;
}

std::string aligned(const std::vector<Line>& lines) {
  std::vector<std::size_t> widths;
  for (const Line& line : lines) {
    widths.resize(std::max(widths.size(), line.size()), 0);
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const Line& line : lines) {
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
      std::string cell = line[i];
      if (i + 1 < line.size()) cell.resize(widths[i] + 2, ' ');
      out += cell;
    }
    text += "  " + out + "\n";
  }
  return text;
}

std::vector<Line> rows_table(const Comparison& comparison) {
  Line head{"lines", "memory", "class"};
  for (const Comparison::Detector& one : comparison.detectors()) head.emplace_back(one.info->name);
  std::vector<Line> lines{head};
  for (const ComparedRow& row : comparison.rows()) {
    Line line{pair_text(row), std::string(space_name(row)), classes_text(row)};
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      line.push_back(i == 0 && !row.is_race ? "-" : cell_text(row, row.cells[i]));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

struct Tally {
  std::uint64_t found = 0, missed = 0, reported = 0, unexplained = 0;
};
Tally tally(const Comparison& comparison, std::size_t detector) {
  Tally made;
  for (const ComparedRow& row : comparison.rows()) {
    const Cell& cell = row.cells[detector];
    if (detector == 0 ? row.is_race : row.is_race && cell.found) ++made.found;
    if (detector == 0 || !differs(row, cell) || !cell.instead.empty()) continue;
    ++(row.is_race ? made.missed : made.reported);
    if (cell.causes.empty()) ++made.unexplained;
  }
  return made;
}

std::vector<Line> figures_table_of(const Comparison& comparison) {
  std::vector<Line> lines{
      {"detector", "found", "missed", "though ordered", "unexplained", "time", "metadata"}};
  for (std::size_t i = 0; i < comparison.detectors().size(); ++i) {
    const Comparison::Detector& one = comparison.detectors()[i];
    const Tally counts = tally(comparison, i);
    lines.push_back({std::string(one.info->name), std::to_string(counts.found),
                     std::to_string(counts.missed), std::to_string(counts.reported),
                     std::to_string(counts.unexplained),
                     value_text({"", comparison.seconds(i) * 1e3, ""}) + " ms",
                     value_text({"", static_cast<double>(one.most_metadata), "bytes"})});
  }
  return lines;
}

std::string heading(const Comparison& comparison, const ComparedInput& input) {
  return input.name + ": " + plural(comparison.launches(), "launch", "launches") + ", " +
         plural(comparison.steps(), "step", "steps") + ", " +
         plural(comparison.detectors().size(), "detector", "detectors");
}

std::string html_table(const std::vector<Line>& lines) {
  std::string text = "<table>\n";
  bool head = true;
  for (const Line& line : lines) {
    text += "<tr>";
    for (const std::string& cell : line) {
      text += head ? "<th>" + escaped(cell) + "</th>" : "<td>" + escaped(cell) + "</td>";
    }
    text += "</tr>\n";
    head = false;
  }
  return text + "</table>\n";
}

}  // namespace

std::string compared_text(const Comparison& comparison, const ComparedInput& input) {
  std::string text = heading(comparison, input) + "\n\n";
  if (comparison.rows().empty()) {
    text += "  no detector found anything\n";
  } else {
    text += aligned(rows_table(comparison));
  }
  std::string differences;
  for (std::size_t i = 1; i < comparison.detectors().size(); ++i) {
    for (const ComparedRow& row : comparison.rows()) {
      if (!differs(row, row.cells[i])) continue;
      differences += "  " + std::string(comparison.detectors()[i].info->name) + " " +
                     difference_text(row, row.cells[i]) + "\n";
    }
  }
  if (!differences.empty()) text += "\nwhere they differ from ptx_model:\n" + differences;
  text += "\n" + aligned(figures_table_of(comparison));
  if (!input.rules) return text;
  for (const Comparison::Detector& one : comparison.detectors()) {
    std::vector<Line> lines;
    for (const Counter& counter : one.detector->stats()) {
      lines.push_back({counter.name, value_text(counter)});
    }
    text += "\n" + std::string(one.info->name) + "\n" + aligned(lines);
  }
  return text;
}

std::string compared_json(const Comparison& comparison, const ComparedInput& input) {
  Json detectors = Json::array();
  for (std::size_t i = 0; i < comparison.detectors().size(); ++i) {
    const Comparison::Detector& one = comparison.detectors()[i];
    const Tally counts = tally(comparison, i);
    Json rules = Json::object();
    for (const Counter& counter : one.detector->stats()) rules[counter.name] = counter.value;
    detectors.push_back({{"name", one.info->name},
                         {"precise", one.info->precise},
                         {"global_only", one.info->limits.global_only},
                         {"one_launch", one.info->limits.one_launch},
                         {"no_barriers", one.info->limits.no_barriers},
                         {"found", counts.found},
                         {"missed", counts.missed},
                         {"reported_though_ordered", counts.reported},
                         {"unexplained", counts.unexplained},
                         {"seconds", comparison.seconds(i)},
                         {"metadata_bytes", one.most_metadata},
                         {"stats", std::move(rules)}});
  }
  Json rows = Json::array();
  for (const ComparedRow& row : comparison.rows()) {
    Json classes = Json::array();
    for (const gpu::RaceClass each : row.classes) classes.push_back(name(each));
    Json by = Json::object();
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const Cell& cell = row.cells[i];
      Json causes = Json::array();
      for (const Cause cause : cell.causes) causes.push_back(gpu::name(cause));
      Json told = {{"found", cell.found}, {"causes", std::move(causes)}};
      if (!cell.instead.empty()) told["other_line"] = cell.instead;
      if (!cell.fault.empty()) told["unexplained"] = cell.fault;
      by[std::string(comparison.detectors()[i].info->name)] = std::move(told);
    }
    Json lines = Json::array();
    if (!row.first.empty()) lines.push_back(row.first);
    lines.push_back(row.second);
    rows.push_back({{"race", row.is_race},
                    {"lines", std::move(lines)},
                    {"memory", space_name(row)},
                    {"classes", std::move(classes)},
                    {"detectors", std::move(by)}});
  }
  const Json whole = {{"schema", "redflag-comparison"},
                      {"version", 1},
                      {"input", input.name},
                      {"command", input.command},
                      {"launches", comparison.launches()},
                      {"steps", comparison.steps()},
                      {"detectors", std::move(detectors)},
                      {"rows", std::move(rows)}};
  return dump(whole, 2) + "\n";
}

std::string compared_html(const Comparison& comparison, const ComparedInput& input) {
  std::string text =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<title>GPU detectors "
      "on " +
      escaped(input.name) +
      "</title>\n<style>body{font:14px/1.4 system-ui,sans-serif;margin:2em}"
      "table{border-collapse:collapse;margin:1em 0}th,td{border:1px solid #8884;padding:.3em .7em;"
      "text-align:left}th{background:#8882}@media(prefers-color-scheme:dark){body{background:#111;"
      "color:#ddd}}</style></head><body>\n<h1>" +
      escaped(heading(comparison, input)) + "</h1>\n<p><code>" + escaped(input.command) +
      "</code></p>\n";
  text += html_table(rows_table(comparison));
  text += "<h2>Where they differ from ptx_model</h2>\n<ul>\n";
  for (std::size_t i = 1; i < comparison.detectors().size(); ++i) {
    for (const ComparedRow& row : comparison.rows()) {
      if (!differs(row, row.cells[i])) continue;
      text += "<li>" + escaped(comparison.detectors()[i].info->name) + " " +
              escaped(difference_text(row, row.cells[i])) + "</li>\n";
    }
  }
  text += "</ul>\n<h2>Time and metadata</h2>\n" + html_table(figures_table_of(comparison));
  for (const Comparison::Detector& one : comparison.detectors()) {
    std::vector<Line> lines{{"rule of " + std::string(one.info->name), "decided"}};
    for (const Counter& counter : one.detector->stats()) {
      lines.push_back({counter.name, value_text(counter)});
    }
    text += html_table(lines);
  }
  return text + "</body></html>\n";
}

}  // namespace redflag::cli
