#include "cli/manual.h"

#include "cli/help.h"
#include "cli/status.h"
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
  page +=
      item("REDFLAG_OPTIONS",
           "Options for every command, as key=value separated by white space or colons: the names "
           "of the options without their dashes, for flags also key and no-key. Programs built "
           "for checking read it too, when they run without 'redflag run'. Quotes keep "
           "white space in a value. The command line wins; options that the command does not "
           "take are passed over.");
  page +=
      item("REDFLAG_CC, REDFLAG_CXX",
           "The compilers that 'redflag cc' and 'redflag c++' call, unless --compiler says it.");
  page +=
      item("REDFLAG_LIBRARY_DIR", "The folder of libredflag, where it is not beside the command.");
  page += item("NO_COLOR", "If set and not empty, --color=auto means never.");
  page += item("TMPDIR", "Where standard input is kept while it is read twice; default /tmp.");
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
