#include "cli/schedule_file.h"

#include <algorithm>

namespace redflag::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20;
// Nothing but the named arrivals is held, so they can wait longer for each other than they had to: the machine
// may be busier now.
constexpr std::uint32_t kTimesAsLong = 16;

}  // namespace

Result<std::optional<std::vector<confirm::Trial>>> replayed_trials(const Arguments& arguments,
                                                                   const Report& report,
                                                                   const confirm::Pairs& pairs) {
  if (!arguments.is_set("replay")) return std::optional<std::vector<confirm::Trial>>();
  const std::string path = arguments.text("replay");
  const Result<std::string> text = read_file(path, kMostBytes);
  if (!text) return Failure(text.error());
  const Result<std::vector<confirm::Schedule>> schedules = confirm::read_schedules(*text);
  if (!schedules) {
    return fail("needed: a schedule, as 'redflag confirm --schedule=FILE' writes\nfound: " + path +
                ", " + schedules.error().message);
  }
  std::vector<confirm::Trial> trials;
  for (const confirm::Schedule& each : *schedules) {
    const auto at = std::find_if(pairs.pairs.begin(), pairs.pairs.end(), [&](const auto& pair) {
      return report.findings[pair.finding].fingerprint == each.finding;
    });
    if (at == pairs.pairs.end()) {
      return fail("needed: the report that the schedule was made with\nfound: " + path +
                  " is about finding " + each.finding + ", which " + arguments.operands().front() +
                  " does not have, or not as one that can be tried");
    }
    trials.push_back(each.trial);
    trials.back().patience *= kTimesAsLong;
    trials.back().budget *= kTimesAsLong;
    trials.back().attempts.front().pair = static_cast<std::size_t>(at - pairs.pairs.begin());
  }
  return std::optional(std::move(trials));
}

Result<ScheduleFile> ScheduleFile::prepare(const Arguments& arguments) {
  ScheduleFile made;
  if (!arguments.is_set("schedule")) return made;
  Result<OutputFile> file = OutputFile::create(arguments.text("schedule"));
  if (!file) return Failure(file.error());
  made.file_.emplace(std::move(*file));
  return made;
}

Result<void> ScheduleFile::write(const std::vector<std::optional<confirm::Schedule>>& schedules) {
  if (!file_) return {};
  std::vector<confirm::Schedule> all;
  for (const std::optional<confirm::Schedule>& each : schedules) {
    if (each) all.push_back(*each);
  }
  if (Result<void> done = file_->write(confirm::write_schedules(all)); !done) return done;
  return file_->commit();
}

}  // namespace redflag::cli
