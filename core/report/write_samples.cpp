// Writes the sample reports in every format into a folder, for the tests that are not C++: the JSON
// Schema, the XML reader, the browser.
//
//   write_samples FOLDER SOURCE_ROOT
#include <cstdio>
#include <string>
#include <utility>

#include "core/report/render.h"
#include "core/report/sample_report.h"

int main(int argc, char** argv) {
  using namespace redflag;
  if (argc != 3) {
    std::fprintf(stderr, "usage: write_samples FOLDER SOURCE_ROOT\n");
    return 2;
  }
  const std::string folder = argv[1];
  const std::pair<const char*, Report> reports[] = {
      {"empty", sample::empty()},     {"one", sample::one()},
      {"usual", sample::usual()},     {"large", sample::large()},
      {"hostile", sample::hostile()}, {"broken", sample::broken_encoding()},
      {"gpu", sample::gpu_run()},     {"confirmed", sample::confirmed()},
      {"live", sample::live_run()},   {"grouped", sample::grouped()}};
  SourceReader::Options source_options;
  source_options.roots = {argv[2]};
  SourceReader sources(source_options);
  for (const auto& [name, report] : reports) {
    OutputPlan plan;
    for (const OutputFormat& format : kOutputFormats) {
      const std::string ending = format.option == "junit" ? "xml" : std::string(format.option);
      if (auto added = plan.add(format.option, folder + "/" + name + "." + ending); !added) {
        std::fprintf(stderr, "%s\n", added.error().message.c_str());
        return 70;
      }
    }
    auto outputs = plan.open();
    auto done = outputs ? write_all(*outputs, report, &sources)
                        : Result<void>(fail(outputs.error().message));
    if (!done) {
      std::fprintf(stderr, "%s\n", done.error().message.c_str());
      return 70;
    }
  }
}
