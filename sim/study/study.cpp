#include "sim/study/study.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>

#include "core/base/suggest.h"

namespace redflag::sim {
namespace {

constexpr std::size_t kMostJobs = 100000;

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string csv_word(std::string_view text) {
  if (text.find_first_of(",\"\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

double Workload::operator()(std::string_view variant, std::string_view name) const {
  for (const Outcome* outcome : outcomes_) {
    if (outcome->variant == variant) return metric(outcome->metrics, name);
  }
  return metric({}, name);
}

double Workload::with_threads(double threads, std::string_view variant,
                              std::string_view name) const {
  for (const Outcome* outcome : outcomes_) {
    if (outcome->variant == variant && metric(outcome->metrics, "threads") == threads) {
      return metric(outcome->metrics, name);
    }
  }
  return metric({}, name);
}

std::string workload_name(const std::string& trace) {
  const std::string file = std::filesystem::path(trace).filename().string();
  return file.substr(0, file.find('.'));
}

Result<std::vector<const FigureInfo*>> figures_asked(const ModelInfo& model,
                                                     std::string_view list) {
  std::vector<const FigureInfo*> asked;
  std::vector<std::string> ids;
  for (const FigureInfo& figure : model.figures) {
    ids.emplace_back(figure.id);
    if (list.empty()) asked.push_back(&figure);
  }
  if (list.empty()) return asked;
  for (std::string id : split(list, ',')) {
    if (!id.empty() && std::isdigit(static_cast<unsigned char>(id[0]))) id = "figure-" + id;
    const auto at = std::find(ids.begin(), ids.end(), id);
    if (at == ids.end()) {
      std::string all;
      for (const std::string& known : ids) all += (all.empty() ? "" : ", ") + known;
      return fail("--figures: there is no '" + id + "'" + did_you_mean(nearest(id, ids)) +
                  "\nthere are: " + all);
    }
    asked.push_back(&model.figures[static_cast<std::size_t>(at - ids.begin())]);
  }
  return asked;
}

std::vector<Job> jobs_of(const ModelInfo& model, std::span<const FigureInfo* const> figures,
                         std::span<const std::string> traces, std::span<const Setting> settings,
                         std::vector<std::string>& variant_of) {
  std::set<std::string_view> needed;
  for (const FigureInfo* figure : figures)
    needed.insert(figure->variants.begin(), figure->variants.end());
  std::vector<Job> jobs;
  for (const std::string& trace : traces) {
    for (const Variant& variant : model.variants) {
      if (!needed.contains(variant.name)) continue;
      Job job{
          std::string(model.name), workload_name(trace), trace, {settings.begin(), settings.end()}};
      for (const Override& one : variant.settings) {
        job.settings.push_back({std::string(one.name), std::string(one.value),
                                "variant " + std::string(variant.name)});
      }
      jobs.push_back(std::move(job));
      variant_of.emplace_back(variant.name);
    }
  }
  return jobs;
}

Result<std::vector<Job>> sweep_of(const ModelInfo& model, std::span<const std::string> dimensions,
                                  std::span<const std::string> traces,
                                  std::span<const Setting> settings,
                                  std::vector<std::string>& variant_of) {
  std::vector<std::vector<Setting>> points{{}};
  for (const std::string& dimension : dimensions) {
    const Result<Setting> parsed = parse_setting(dimension, "--sweep");
    if (!parsed)
      return fail("--sweep: 'name=value,value,...' is needed, found '" + dimension + "'");
    std::vector<std::vector<Setting>> next;
    for (const std::vector<Setting>& point : points) {
      for (const std::string& value : split(parsed->value, ',')) {
        next.push_back(point);
        next.back().push_back({parsed->name, value, "--sweep"});
        // Said now, not after an hour.
        if (const Result<std::string> good = model.parameters(next.back()); !good)
          return Failure(good.error());
      }
      if (next.size() * traces.size() > kMostJobs) {
        return fail("--sweep: more than " + std::to_string(kMostJobs) +
                    " simulations\ngive fewer values");
      }
    }
    points = std::move(next);
  }
  std::vector<Job> jobs;
  for (const std::string& trace : traces) {
    for (const std::vector<Setting>& point : points) {
      Job job{
          std::string(model.name), workload_name(trace), trace, {settings.begin(), settings.end()}};
      std::string name;
      for (const Setting& setting : point) {
        job.settings.push_back(setting);
        name += (name.empty() ? "" : " ") + setting.name + "=" + setting.value;
      }
      jobs.push_back(std::move(job));
      variant_of.push_back(std::move(name));
    }
  }
  return jobs;
}

std::vector<Workload> workloads_of(const std::vector<Outcome>& outcomes) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<const Outcome*>> of;
  for (const Outcome& outcome : outcomes) {
    if (outcome.metrics.empty()) continue;
    if (!of.contains(outcome.workload)) order.push_back(outcome.workload);
    of[outcome.workload].push_back(&outcome);
  }
  std::vector<Workload> workloads;
  for (const std::string& name : order) {
    std::vector<const Outcome*>& runs = of[name];
    // Models of GPUs have no number of threads. Outcomes lie in the order in which they were asked for.
    const auto threads = [](const Outcome* outcome) {
      const double known = metric(outcome->metrics, "threads");
      return std::isfinite(known) ? known : 0;
    };
    std::sort(runs.begin(), runs.end(), [&](const Outcome* a, const Outcome* b) {
      return threads(a) != threads(b) ? threads(a) > threads(b) : a < b;
    });
    workloads.emplace_back(name, runs);
  }
  return workloads;
}

Figure made(const FigureInfo& info, const std::vector<Workload>& workloads) {
  Figure figure = info.make(workloads);
  figure.id = info.id;
  figure.title = info.title;
  return figure;
}

std::vector<Figure> summary(const ModelInfo& model, const std::vector<Outcome>& outcomes) {
  std::vector<Figure> tables;
  for (const Column& column : model.columns) {
    // One table for each unit of numbers: a figure has one.
    auto table = std::find_if(tables.begin(), tables.end(),
                              [&](const Figure& t) { return t.numbers == column.numbers; });
    if (table == tables.end()) {
      Figure fresh;
      fresh.id = "summary-" + std::to_string(tables.size() + 1);
      fresh.title = "all simulations";
      fresh.shape = Shape::kTable;
      fresh.numbers = column.numbers;
      for (const Outcome& outcome : outcomes)
        fresh.rows.push_back({outcome.workload + "  " + outcome.variant, {}});
      tables.push_back(std::move(fresh));
      table = tables.end() - 1;
    }
    table->columns.emplace_back(column.name);
    for (std::size_t r = 0; r < outcomes.size(); ++r) {
      table->rows[r].values.push_back(metric(outcomes[r].metrics, column.metric));
    }
  }
  return tables;
}

std::string csv(const std::vector<Outcome>& outcomes) {
  std::vector<std::string> names;
  for (const Outcome& outcome : outcomes) {
    for (const auto& [name, value] : outcome.metrics) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  std::string text = "workload,trace,variant";
  for (const std::string& name : names) text += "," + csv_word(name);
  text += "\n";
  for (const Outcome& outcome : outcomes) {
    text += csv_word(outcome.workload) + "," + csv_word(outcome.trace) + "," +
            csv_word(outcome.variant);
    for (const std::string& name : names) {
      const double value = metric(outcome.metrics, name);
      char digits[40] = {};
      if (std::isfinite(value)) std::to_chars(digits, digits + sizeof digits - 1, value);
      text += "," + std::string(digits);
    }
    text += "\n";
  }
  return text;
}

}  // namespace redflag::sim
