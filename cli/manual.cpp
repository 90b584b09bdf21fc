#include "cli/manual.h"

#include "cli/help.h"
#include "cli/status.h"
#include "cli/variables.h"
#include "core/detect/gpu/gpu_registry.h"
#include "core/detect/registry.h"

namespace redflag::cli {
namespace {

// For roff, a backslash is an escape, a dash a hyphen, and a dot or quote at the start of a line a
// request.
std::string roff(std::string_view text) {
  std::string out;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else {
      out += c;
    }
    at_start = c == '\n';
  }
  return out;
}

std::string section(std::string_view title) {
  return ".SH " + std::string(title) + "\n";
}

std::string item(std::string_view tag, std::string_view text) {
  return ".TP\n.B " + roff(tag) + "\n" + roff(text) + "\n";
}

std::string paragraph(std::string_view text) {
  return ".PP\n" + roff(text) + "\n";
}

std::string commands_section() {
  std::string page = section("COMMANDS");
  for (const CommandInfo& command : kCommands) {
    if (command.hidden) continue;
    page += ".SS " + roff(usage_line(command)) + "\n" + roff(command.description) + "\n";
    for (const OptionInfo* option : options_of(command.id)) {
      if (option->name != "help") page += item(option_usage(*option), option_sentence(*option));
    }
    if (!command.example.empty()) {
      page += ".PP\nExample:\n.PP\n.in +4n\n.nf\n" + roff(command.example) + "\n.fi\n.in\n";
    }
  }
  return page;
}

}  // namespace

std::string manual_page() {
  std::string page = ".TH REDFLAG 1 \"\" \"redflag " REDFLAG_VERSION "\" \"User Commands\"\n";
  page += section("NAME") + roff("redflag - find data races in parallel programs") + "\n";
  page += section("SYNOPSIS") + ".B redflag\n.I command\n[\\fIoptions\\fR] ...\n";
  page += section("DESCRIPTION");
  page += roff(
              "Redflag reads what the threads of a program did and reports every pair of "
              "conflicting accesses that nothing orders: who made them, where, which "
              "synchronisation was missing, and what would order them.") +
          "\n";
  page += commands_section();
  page += section("DETECTORS");
  for (const DetectorInfo& detector : kDetectors) page += item(detector.name, detector.summary);
  for (const gpu::GpuDetectorInfo& one : gpu::kGpuDetectors) page += item(one.name, one.summary);
  page += section("EXIT STATUS");
  for (const StatusInfo& status : kStatuses) {
    page += item(std::to_string(raw(status.status)), status.meaning);
  }
  page += section("ENVIRONMENT");
  for (const VariableInfo& variable : kVariables) page += item(variable.name, variable.meaning);
  page += section("NOTES");
  page += paragraph(
      "A file named by --json, --sarif, --junit or --html appears only when it is whole. The name "
      "- is standard output; the findings are then not printed as text.");
  page += paragraph(
      "mpirun -n 4 redflag replay FILE shares the addresses among four processes, which all read "
      "FILE; the report is the same as that of one.");
  return page;
}

}  // namespace redflag::cli
