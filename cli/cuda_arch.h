// What an nvcc command line says about GPU architectures: -arch, -code and -gencode in all their
// spellings.
//
// "sm_80" is machine code, "compute_80" is PTX; the emulated GPU wants PTX of at most kNewestArch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace redflag::cli {

// The emulated GPU runs PTX up to this.
inline constexpr int kNewestArch = 90;

class CudaArchs {
 public:
  // True: `name` is one of the three options, and was read.
  bool read(std::string_view name, std::string_view value);

  // All options are read. True: the program embeds PTX that the emulated GPU runs.
  bool has_ptx() const;
  // "80", "90a": the newest that is named and that the emulated GPU knows; `otherwise` where there
  // is none.
  std::string newest_known(std::string otherwise) const;

 private:
  struct Arch {
    int number = 0;
    std::string name;     // 90a
    bool is_ptx = false;  // embedded as such
  };
  static bool parse(std::string_view text, Arch& to);
  static void read_codes(std::string_view list, std::vector<Arch>& to);
  void read_gencode(std::string_view value);
  // Everything that is named, -arch and -code together as nvcc understands them.
  std::vector<Arch> named() const;

  std::string arch_;
  std::string code_;
  std::vector<Arch> gencodes_;
};

}  // namespace redflag::cli
