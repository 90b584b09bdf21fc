#include "sim/experiment/store.h"

#include <charconv>
#include <filesystem>
#include <map>

#include "core/base/output_file.h"

namespace redflag::sim {
namespace {

namespace fs = std::filesystem;

// FNV-1a: names must be the same on every machine and in every version.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

std::string hex(std::uint64_t number) {
  char text[17];
  const auto end = std::to_chars(text, text + sizeof text, number, 16).ptr;
  return std::string(16 - static_cast<std::size_t>(end - text), '0') + std::string(text, end);
}

// The words of a job go into comments, a line each.
std::string one_line(std::string text) {
  for (char& c : text) c = static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return text;
}

// Of a file name.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 40)) {
    out +=
        std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.' ? c : '_';
  }
  return out;
}

}  // namespace

Result<Store> Store::open(const std::string& folder, std::string version) {
  std::error_code fault;
  fs::create_directories(folder, fault);
  if (!fs::is_directory(folder, fault)) {
    return fail("needed: a folder for results\nfound: " + folder +
                " cannot be made, or is no folder" +
                "\nto mend it: name another one by --results=FOLDER");
  }
  return Store(folder, std::move(version));
}

std::string Store::described(const Job& job) const {
  std::map<std::string, std::string> last;
  for (const Setting& setting : job.settings) last[setting.name] = setting.value;
  std::error_code fault;
  const fs::path path = fs::absolute(job.trace, fault);
  std::string text = "# redflag " + version_ + ", model " + job.model + "\n# workload " +
                     one_line(job.workload) + "\n# trace " + one_line(path.string()) + ", " +
                     std::to_string(fs::file_size(path, fault)) + " bytes, of " +
                     std::to_string(fs::last_write_time(path, fault).time_since_epoch().count()) +
                     "\n";
  for (const auto& [name, value] : last) text += "# with " + name + " = " + value + "\n";
  return text;
}

std::string Store::file_of(const Job& job) const {
  return (fs::path(folder_) /
          (job.model + "-" + plain(job.workload) + "-" + hex(hash_of(described(job))) + ".result"))
      .string();
}

std::optional<Metrics> Store::find(const Job& job) const {
  const std::string file = file_of(job);
  std::error_code fault;
  if (!fs::exists(file, fault)) return std::nullopt;
  const Result<std::string> text = read_file(file, std::size_t{1} << 20);
  // Two jobs of one hash: the description tells.
  if (!text || !text->starts_with(described(job))) return std::nullopt;
  const Result<std::vector<Setting>> lines = parse_settings(*text, file);
  if (!lines || lines->empty()) return std::nullopt;
  Metrics metrics;
  for (const Setting& line : *lines) {
    double value = 0;
    const char* const end = line.value.data() + line.value.size();
    const auto [stop, error] = std::from_chars(line.value.data(), end, value);
    if (error != std::errc{} || stop != end) return std::nullopt;
    metrics.emplace_back(line.name, value);
  }
  return metrics;
}

Result<void> Store::keep(const Job& job, const Metrics& metrics) const {
  std::string text = described(job);
  for (const auto& [name, value] : metrics) {
    char digits[40];
    const auto end =
        std::to_chars(digits, digits + sizeof digits, value).ptr;  // reads back exactly
    text += name + " = " + std::string(digits, end) + "\n";
  }
  Result<OutputFile> file = OutputFile::create(file_of(job));
  if (!file) return Failure(file.error());
  if (Result<void> done = file->write(text); !done) return done;
  return file->commit();
}

}  // namespace redflag::sim
