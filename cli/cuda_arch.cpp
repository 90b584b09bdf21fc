#include "cli/cuda_arch.h"

#include <algorithm>

namespace redflag::cli {

bool CudaArchs::parse(std::string_view text, Arch& to) {
  to.is_ptx = text.starts_with("compute_");
  if (!to.is_ptx && !text.starts_with("sm_")) return false;
  text.remove_prefix(text.find('_') + 1);
  to.name = text;
  to.number = 0;
  for (const char c : text.substr(0, 6)) {
    if (c >= '0' && c <= '9') to.number = to.number * 10 + (c - '0');
  }
  return true;
}

bool CudaArchs::read(std::string_view name, std::string_view value) {
  if (name == "-arch" || name == "--gpu-architecture") {
    arch_ = value;
  } else if (name == "-code" || name == "--gpu-code") {
    code_ = value;
  } else if (name == "-gencode" || name == "--generate-code") {
    read_gencode(value);
  } else {
    return false;
  }
  return true;
}

// arch=compute_80,code=[sm_80,compute_80]
void CudaArchs::read_gencode(std::string_view value) {
  const std::size_t code = value.find("code=");
  std::string_view arch = value.substr(0, code);
  if (arch.starts_with("arch=")) arch.remove_prefix(5);
  arch = arch.substr(0, arch.find(','));
  if (Arch made; parse(arch, made)) {
    made.is_ptx = code == std::string_view::npos;
    gencodes_.push_back(std::move(made));
  }
  if (code != std::string_view::npos) read_codes(value.substr(code + 5), gencodes_);
}

void CudaArchs::read_codes(std::string_view list, std::vector<Arch>& to) {
  while (!list.empty()) {
    const std::size_t begin = list.find_first_not_of("[],\"\\ ");
    if (begin == std::string_view::npos) return;
    list.remove_prefix(begin);
    const std::string_view word = list.substr(0, list.find_first_of("[],\"\\ "));
    list.remove_prefix(word.size());
    if (Arch made; parse(word, made)) to.push_back(std::move(made));
  }
}

std::vector<CudaArchs::Arch> CudaArchs::named() const {
  std::vector<Arch> all = gencodes_;
  if (arch_.empty()) return all;
  Arch arch;
  const bool known = parse(arch_, arch);
  if (!code_.empty()) {
    if (known) all.push_back({arch.number, arch.name, false});
    if (known) read_codes(code_, all);
  } else if (arch_ == "all" || arch_ == "all-major") {
    all.push_back({kNewestArch, std::to_string(kNewestArch), false});
  } else if (known) {
    all.push_back({arch.number, arch.name, true});  // machine code and PTX
  } else {
    all.push_back({0, "", true});  // native: whatever it is, with PTX
  }
  return all;
}

bool CudaArchs::has_ptx() const {
  const std::vector<Arch> all = named();
  return all.empty() || std::any_of(all.begin(), all.end(), [](const Arch& each) {
           return each.is_ptx && each.number <= kNewestArch;
         });
}

std::string CudaArchs::newest_known(std::string otherwise) const {
  int best = 0;
  for (const Arch& each : named()) {
    if (each.number > kNewestArch || each.number <= best) continue;
    best = each.number;
    otherwise = each.name;
  }
  return otherwise;
}

}  // namespace redflag::cli
