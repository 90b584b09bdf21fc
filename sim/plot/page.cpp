#include "sim/plot/page.h"

#include "core/base/markup.h"
#include "sim/plot/svg.h"

namespace redflag::sim {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
code { font: 13px ui-monospace, monospace; overflow-wrap: anywhere; }
figure { margin: 2.5rem 0; }
figure svg { max-width: 100%; height: auto; display: block; }
figcaption { max-width: 46rem; margin: .4rem 0 .6rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13px; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid var(--line); text-align: right; }
th:first-child, td:first-child { text-align: left; }
)";

std::string table_of(const Figure& figure) {
  std::string out = "<div class=\"wide\"><table><thead><tr><th></th>";
  for (const std::string& column : figure.columns) out += "<th>" + escaped(column) + "</th>";
  out += "</tr></thead><tbody>\n";
  for (const Figure::Row& row : figure.rows) {
    out += "<tr><td>" + escaped(row.name) + "</td>";
    for (const double value : row.values)
      out += "<td>" + escaped(text_of(value, figure.numbers)) + "</td>";
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string section_of(const Figure& figure) {
  std::string out = "<figure id=\"" + escaped(figure.id) + "\">\n";
  const std::string picture = svg(figure);
  // A picture has its title in it.
  if (picture.empty()) out += "<h2>" + escaped(figure.title) + "</h2>\n";
  out += picture + "<figcaption>" + escaped(figure.caption) + "</figcaption>\n";
  const std::string table = table_of(figure);
  out += picture.empty() ? table : "<details><summary>Numbers</summary>" + table + "</details>\n";
  return out + "</figure>\n";
}

}  // namespace

std::string html(const Page& page) {
  std::string out =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
      escaped(page.title) + "</title>\n<style>" + std::string(kStyle) +
      "</style>\n</head>\n<body>\n<h1>" + escaped(page.title) + "</h1>\n<p><code>" +
      escaped(page.command) + "</code></p>\n";
  for (const std::string& note : page.notes) out += "<p>" + escaped(note) + "</p>\n";
  for (const Figure& figure : page.figures) out += section_of(figure);
  out += "<h2>Parameters</h2>\n<div class=\"wide\"><table>\n";
  for (const auto& [name, value] : page.settings) {
    out += "<tr><td>" + escaped(name) + "</td><td>" + escaped(value) + "</td></tr>\n";
  }
  return out + "</table></div>\n</body>\n</html>\n";
}

}  // namespace redflag::sim
