// Runs a script line by line on a Machine. See script.h for the language.
//
// A statement is a row of the table `kStatements`: its first word and what does it. Buffers keep where they
// are and of what type; streams and events are numbered from 1 in the order in which they are named.
#include "tests/cuda/host/script.h"

#include <cstring>
#include <functional>
#include <utility>

#include "tests/cuda/host/buffer.h"
#include "tests/cuda/host/expression.h"

namespace redflag::script {
namespace {

class Interpreter {
 public:
  Interpreter(const Text& script, const std::map<std::string, double>& given, Machine& machine)
      : machine_(machine), given_(given), lines_(split(script)) {}

  std::string run() { return run(0, lines_.size()); }

 private:
  std::string run(std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      line_ = lines_[i].number;
      Cursor c(lines_[i].text, values_);
      if (c.at_end()) continue;
      std::string fault;
      if (c.take("repeat")) {
        const std::size_t end = end_of(i, to);
        fault = end == to ? std::to_string(line_) + ": repeat without end" : repeat(c, i + 1, end);
        if (!fault.empty()) return fault;  // carries its line already
        i = end;
        continue;
      }
      fault = statement(c);
      if (fault.empty()) fault = c.fault();
      if (fault.empty() && !c.at_end()) fault = "more follows than the statement has";
      if (!fault.empty()) return std::to_string(line_) + ": " + fault;
    }
    return {};
  }

  std::size_t end_of(std::size_t from, std::size_t to) const {
    int depth = 0;
    for (std::size_t i = from; i < to; ++i) {
      Cursor c(lines_[i].text, values_);
      if (c.take("repeat"))
        ++depth;
      else if (c.take("end") && --depth == 0)
        return i;
    }
    return to;
  }

  std::string repeat(Cursor& c, std::size_t from, std::size_t to) {
    const auto times = static_cast<long long>(c.sum());
    const std::string name = c.take("as") ? c.word() : "";
    if (!c.fault().empty()) return std::to_string(line_) + ": " + c.fault();
    for (long long i = 0; i < times; ++i) {
      if (!name.empty()) values_[name] = static_cast<double>(i);
      const std::string fault = run(from, to);
      if (!fault.empty()) return fault;
    }
    return {};
  }

  std::string statement(Cursor& c) {
    static const std::map<std::string, std::string (Interpreter::*)(Cursor&), std::less<>>
        kStatements = {
            {"let", &Interpreter::let},
            {"buffer", &Interpreter::buffer},
            {"managed", &Interpreter::managed},
            {"symbol", &Interpreter::symbol},
            {"image", &Interpreter::image},
            {"texture", &Interpreter::texture},
            {"surface", &Interpreter::surface},
            {"stream", &Interpreter::stream},
            {"event", &Interpreter::event},
            {"launch", &Interpreter::launch},
            {"upload", &Interpreter::upload},
            {"download", &Interpreter::download},
            {"memset", &Interpreter::set},
            {"record", &Interpreter::record},
            {"await", &Interpreter::await},
            {"sync", &Interpreter::sync},
            {"host_write", &Interpreter::host_write},
            {"host_read", &Interpreter::host_read},
            {"expect", &Interpreter::expect},
        };
    const std::string word = c.word();
    const auto found = kStatements.find(word);
    return found == kStatements.end() ? "no statement begins with '" + word + "'"
                                      : (this->*found->second)(c);
  }

  std::string let(Cursor& c) {
    const std::string name = c.word();
    c.need("=");
    const double value = c.sum();
    const auto found = given_.find(name);
    values_[name] = found == given_.end() ? value : found->second;
    return {};
  }

  std::string buffer(Cursor& c) { return declare(c, false); }
  std::string managed(Cursor& c) { return declare(c, true); }
  std::string declare(Cursor& c, bool managed) {
    auto [name, made] = declaration(c);
    if (!c.fault().empty()) return c.fault();
    std::string fault = machine_.allocate(line_, made.bytes(), managed, &made.address);
    if (!fault.empty()) return fault;
    buffers_[name] = made;
    const std::vector<std::byte> contents = initial(c, made);
    return machine_.upload(line_, made.address, contents.data(), made.bytes(), 0);
  }
  std::string symbol(Cursor& c) {
    auto [name, made] = declaration(c);
    if (!c.fault().empty()) return c.fault();
    std::string fault = machine_.find_symbol(name, made.bytes(), &made.address);
    buffers_[name] = made;
    return fault;
  }
  std::string image(Cursor& c) {
    auto [name, made] = declaration(c);
    made.is_image = true;
    made.image = {made.type, made.count, static_cast<std::uint64_t>(c.sum()), 0};
    if (!c.at_end() && !c.peek_word().empty())
      made.image.layers = static_cast<std::uint64_t>(c.sum());
    made.count = made.image.count();
    if (!c.fault().empty()) return c.fault();
    std::string fault = machine_.create_image(line_, made.image, &made.address);
    if (!fault.empty()) return fault;
    buffers_[name] = made;
    return machine_.upload_image(line_, made.address, initial(c, made).data(), made.image, 0);
  }
  std::string texture(Cursor& c) {
    const std::string name = c.word();
    const Buffer of = buffer_of(c);
    const ObjectPlan plan = texture_words(c, of);
    return c.fault().empty() ? machine_.create_object(plan, &objects_[name]) : c.fault();
  }
  std::string surface(Cursor& c) {
    const std::string name = c.word();
    const Buffer of = buffer_of(c);
    if (!of.is_image) c.set_fault("a surface is of an image");
    const ObjectPlan plan{
        .of = of.address, .is_image = true, .is_surface = true, .image = of.image};
    return c.fault().empty() ? machine_.create_object(plan, &objects_[name]) : c.fault();
  }
  std::pair<std::string, Buffer> declaration(Cursor& c) {
    std::string name = c.word();
    const std::string type = c.word();
    Buffer made;
    bool known = false;
    for (const auto& [word, of] : kTypes)
      if (type == word) made.type = of, known = true;
    if (!known) c.set_fault("'" + type + "' is not a type");
    made.count = static_cast<std::uint64_t>(c.sum());
    return {std::move(name), made};
  }

  std::string stream(Cursor& c) {
    const int number = static_cast<int>(streams_.size()) + 1;
    streams_[c.word()] = number;
    return machine_.create_stream(number);
  }
  std::string event(Cursor& c) {
    const int number = static_cast<int>(events_.size()) + 1;
    events_[c.word()] = number;
    return machine_.create_event(number);
  }
  int number_of(Cursor& c, const std::map<std::string, int>& names) {
    const std::string name = c.word();
    const auto found = names.find(name);
    if (found == names.end()) c.set_fault("'" + name + "' was not declared");
    return found == names.end() ? 0 : found->second;
  }
  int on(Cursor& c) { return c.take("on") ? number_of(c, streams_) : 0; }
  Buffer buffer_of(Cursor& c) {
    const std::string name = c.word();
    const auto found = buffers_.find(name);
    if (found == buffers_.end()) c.set_fault("'" + name + "' is not a buffer");
    return found == buffers_.end() ? Buffer{} : found->second;
  }

  std::array<std::uint32_t, 3> dimensions(Cursor& c) {
    std::array<std::uint32_t, 3> dim{1, 1, 1};
    if (!c.take("{")) {
      dim[0] = static_cast<std::uint32_t>(c.sum());
      return dim;
    }
    for (std::size_t i = 0; i < 3 && (i == 0 || c.take(",")); ++i)
      dim[i] = static_cast<std::uint32_t>(c.sum());
    c.need("}");
    return dim;
  }
  std::string launch(Cursor& c) {
    LaunchPlan plan;
    plan.cooperative = c.take("cooperative");
    if (c.take("cluster")) {
      c.need("(");
      plan.cluster = static_cast<std::uint32_t>(c.sum());
      c.need(")");
    }
    plan.kernel = c.word();
    c.need("<<<");
    plan.grid = dimensions(c);
    c.need(",");
    plan.block = dimensions(c);
    if (c.take(",")) plan.shared_bytes = static_cast<std::uint64_t>(c.sum());
    if (c.take(",")) plan.stream = number_of(c, streams_);
    c.need(">>>");
    c.need("(");
    if (!c.take(")")) {
      do plan.arguments.push_back(argument(c));
      while (c.take(","));
      c.need(")");
    }
    return c.fault().empty() ? machine_.launch(line_, plan) : c.fault();
  }
  Argument argument(Cursor& c) {
    Argument made;
    const std::string next(c.peek_word());
    if (buffers_.contains(next)) {
      const Buffer b = buffer_of(c);
      const double offset = c.take("+") ? c.sum() : 0;
      const auto address = reinterpret_cast<std::uintptr_t>(b.address) +
                           static_cast<std::uintptr_t>(offset) * size_of(b.type);
      std::memcpy(made.bytes.data(), &address, sizeof address);
    } else if (objects_.contains(next)) {
      std::memcpy(made.bytes.data(), &objects_[c.word()], sizeof(std::uint64_t));
    } else if (c.take("float")) {
      store(Type::kFloat, made.bytes.data(), c.sum());
    } else if (c.take("double")) {
      store(Type::kDouble, made.bytes.data(), c.sum());
    } else {
      store(Type::kLong, made.bytes.data(), c.sum());
    }
    return made;
  }

  std::string upload(Cursor& c) {
    const Buffer b = buffer_of(c);
    const int stream = on(c);
    // Kept: the copy may still be under way when this returns.
    kept_.emplace_back(b.bytes());
    if (!c.fault().empty()) return c.fault();
    const void* const from = kept_.back().data();
    return b.is_image ? machine_.upload_image(line_, b.address, from, b.image, stream)
                      : machine_.upload(line_, b.address, from, b.bytes(), stream);
  }
  std::string download(Cursor& c) {
    const Buffer b = buffer_of(c);
    const int stream = on(c);
    kept_.emplace_back(b.bytes());
    if (!c.fault().empty()) return c.fault();
    void* const to = kept_.back().data();
    return b.is_image ? machine_.download_image(line_, to, b.address, b.image, stream)
                      : machine_.download(line_, to, b.address, b.bytes(), stream);
  }
  std::string set(Cursor& c) {
    const Buffer b = buffer_of(c);
    const auto value = static_cast<int>(c.sum());
    const int stream = on(c);
    if (b.is_image) c.set_fault("an image cannot be set");
    return c.fault().empty() ? machine_.set(line_, b.address, value, b.bytes(), stream) : c.fault();
  }
  std::string record(Cursor& c) {
    const int event = number_of(c, events_);
    return machine_.record(event, on(c));
  }
  std::string await(Cursor& c) {
    const int event = number_of(c, events_);
    return machine_.stream_waits(event, on(c));
  }
  std::string sync(Cursor& c) {
    if (c.take("device")) return machine_.sync_device();
    const std::string name(c.peek_word());
    if (events_.contains(name)) return machine_.sync_event(number_of(c, events_));
    return machine_.sync_stream(number_of(c, streams_));
  }

  // buffer "[" index "]"
  std::byte* element(Cursor& c, Buffer& b) {
    b = buffer_of(c);
    c.need("[");
    const auto index = static_cast<std::uint64_t>(c.sum());
    c.need("]");
    if (c.fault().empty() && index >= b.count) c.set_fault("the index is outside of the buffer");
    return static_cast<std::byte*>(b.address) + index * size_of(b.type);
  }
  std::string host_write(Cursor& c) {
    Buffer b;
    std::byte* at = element(c, b);
    c.need("=");
    const double value = c.sum();
    if (!c.fault().empty()) return c.fault();
    std::string fault = machine_.host_access(line_, at, size_of(b.type), true);
    if (fault.empty()) store(b.type, at, value);
    return fault;
  }
  std::string host_read(Cursor& c) {
    Buffer b;
    std::byte* at = element(c, b);
    if (!c.fault().empty()) return c.fault();
    std::string fault = machine_.host_access(line_, at, size_of(b.type), false);
    if (fault.empty()) seen_ += load(b.type, at);
    return fault;
  }

  std::string expect(Cursor& c) {
    const bool is_sum = c.take("sum(");
    const Buffer b = buffer_of(c);
    if (is_sum) c.need(")");
    const bool is_one = !is_sum && c.take("[");
    const auto index = is_one ? static_cast<std::uint64_t>(c.sum()) : 0;
    if (is_one) c.need("]");
    if (is_one && index >= b.count) c.set_fault("the index is outside of the buffer");
    std::string sign;
    for (const char* one : {"==", "!=", "<=", ">="})
      if (sign.empty() && c.take(one)) sign = one;
    if (sign.empty()) c.set_fault("needs ==, !=, <= or >=");
    const bool is_index = c.take("index");
    const double value = is_index ? 0 : c.sum();
    if (!c.fault().empty()) return c.fault();
    std::vector<std::byte> copy(b.bytes());
    std::string fault = b.is_image ? machine_.peek_image(copy.data(), b.address, b.image)
                                   : machine_.peek(copy.data(), b.address, b.bytes());
    if (!fault.empty()) return fault;
    double total = 0;
    for (std::uint64_t i = is_one ? index : 0; i < (is_one ? index + 1 : b.count); ++i) {
      const double found = load(b.type, copy.data() + i * size_of(b.type));
      total += found;
      const double wanted = is_index ? static_cast<double>(i) : value;
      if (!is_sum && !holds(found, sign, wanted))
        return "expected " + sign + " " + shown(wanted) + ", found " + shown(found) + " at [" +
               std::to_string(i) + "]";
    }
    if (is_sum && !holds(total, sign, value))
      return "expected " + sign + " " + shown(value) + ", found the sum " + shown(total);
    return {};
  }
  static bool holds(double found, const std::string& sign, double wanted) {
    if (sign == "==") return found == wanted;
    if (sign == "!=") return found != wanted;
    return sign == "<=" ? found <= wanted : found >= wanted;
  }

  Machine& machine_;
  const std::map<std::string, double>& given_;
  std::vector<Line> lines_;
  int line_ = 0;
  std::map<std::string, double> values_;
  std::map<std::string, Buffer> buffers_;
  std::map<std::string, std::uint64_t> objects_;
  std::map<std::string, int> streams_, events_;
  std::vector<std::vector<std::byte>> kept_;
  double seen_ = 0;
};

}  // namespace

Text find_script(std::string_view source) {
  constexpr std::string_view kOpen = "R\"(";
  const std::size_t from = source.find(kOpen);
  const std::size_t to = from == std::string_view::npos ? from : source.find(")\"", from);
  if (to == std::string_view::npos) return {};
  int line = 1;
  for (const char c : source.substr(0, from)) line += c == '\n';
  return {source.substr(from + kOpen.size(), to - from - kOpen.size()), line};
}

std::string run(const Text& script, const std::map<std::string, double>& values, Machine& machine) {
  return Interpreter(script, values, machine).run();
}

}  // namespace redflag::script
