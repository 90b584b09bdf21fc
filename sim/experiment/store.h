// Store: results in a folder, a file for each job, so that a sweep that was cut goes on where it was.
//
// A job is known by its model, its settings (the last of each name, in the order of names) and its trace's size,
// time and path. A result is one file that appears whole or not at all, `name = value` lines as in configuration
// files, with the job in comments above: to be read by people and by spreadsheets. Files of other versions or of
// traces that have changed since have other names, and are left alone.
#pragma once

#include <optional>
#include <string>

#include "sim/experiment/job.h"

namespace redflag::sim {

class Store {
 public:
  // Makes the folder if there is none. `version` is that of the tool.
  static Result<Store> open(const std::string& folder, std::string version);

  // nullopt: not done yet. A file that cannot be read counts as not done.
  std::optional<Metrics> find(const Job& job) const;
  Result<void> keep(const Job& job, const Metrics& metrics) const;

  std::string file_of(const Job& job) const;
  const std::string& folder() const { return folder_; }

 private:
  Store(std::string folder, std::string version)
      : folder_(std::move(folder)), version_(std::move(version)) {}
  std::string described(const Job& job) const;

  std::string folder_;
  std::string version_;
};

}  // namespace redflag::sim
