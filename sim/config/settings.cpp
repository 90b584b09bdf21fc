#include "sim/config/settings.h"

#include "core/base/output_file.h"

namespace redflag::sim {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

}  // namespace

Result<Setting> parse_setting(std::string_view text, std::string_view where) {
  const std::size_t equals = text.find('=');
  Setting setting{std::string(trimmed(text.substr(0, equals))), {}, std::string(where)};
  if (equals != std::string_view::npos) setting.value = trimmed(text.substr(equals + 1));
  if (setting.name.empty() || setting.value.empty()) {
    return fail(std::string(where) + ": 'name = value' is needed, found '" +
                std::string(trimmed(text)) + "'");
  }
  return setting;
}

Result<std::vector<Setting>> parse_settings(std::string_view text, std::string_view file) {
  std::vector<Setting> settings;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    Result<Setting> setting = parse_setting(line, std::string(file) + ":" + std::to_string(number));
    if (!setting) return Failure(setting.error());
    settings.push_back(std::move(*setting));
  }
  return settings;
}

Result<std::vector<Setting>> read_settings(const std::string& path) {
  const Result<std::string> text = read_file(path, kMostBytes);
  if (!text) return Failure(text.error());
  return parse_settings(*text, path);
}

Result<void> apply_settings(std::span<const Parameter> parameters,
                            std::span<const Setting> settings) {
  std::string faults;
  for (const bool really : {false, true}) {
    for (const Setting& setting : settings) {
      const Result<const Parameter*> parameter = find(parameters, setting.name);
      Result<void> done;
      if (!parameter) {
        done = Failure(parameter.error());
      } else {
        // Tried, and taken back, so that a fault in the last line leaves all as it was.
        const std::string before = text_of(**parameter);
        done = set(**parameter, setting.value);
        if (!really) (void)set(**parameter, before);
      }
      if (!done)
        faults += (faults.empty() ? "" : "\n") + setting.where + ": " + done.error().message;
    }
    if (!faults.empty()) return fail(faults);
  }
  return {};
}

std::string written(std::span<const Parameter> parameters) {
  std::string text;
  for (const Parameter& parameter : parameters) {
    text += std::string(parameter.name) + " = " + text_of(parameter) + "  # " +
            std::string(parameter.meaning) + "\n";
  }
  return text;
}

}  // namespace redflag::sim
