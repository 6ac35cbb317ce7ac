#include "emulate/settings.h"

#include <functional>
#include <limits>
#include <map>

#include "core/words.h"

namespace clift {

namespace {

constexpr std::int64_t most = std::int64_t{1} << 62;

[[noreturn]] void refuse(const std::string& key, const std::string& value, const std::string& allowed) {
  throw SettingError(key + " is " + value + "; allowed is " + allowed);
}

std::int64_t integer(const std::string& key, const std::string& value, std::int64_t least, std::int64_t highest) {
  const auto number = number_in(value, least, highest);
  if (!number) refuse(key, value, "a whole number from " + std::to_string(least) + " to " + std::to_string(highest));
  return *number;
}

double rate(const std::string& key, const std::string& value) {
  const auto number = number_in(value, 1.0, 1e12);
  if (!number) refuse(key, value, "a rate from 1 to 1e12 bit/s");
  return *number;
}

using Setters = std::map<std::string, std::function<void(const std::string& key, const std::string& value)>>;

void add_link(Setters& setters, const std::string& direction, LinkSettings& link) {
  setters[direction] = [&link](auto&, auto& value) { link.trace = value; };
  setters[direction + "_rate_bps"] = [&link](auto& key, auto& value) { link.rate_bps = rate(key, value); };
  setters[direction + "_lldu_bytes"] = [&link](auto& key, auto& value) {
    link.lldu_bytes = integer(key, value, 1, std::numeric_limits<std::int32_t>::max());
  };
  setters[direction + "_packing"] = [&link](auto& key, auto& value) {
    if (value != "padded" && value != "packed") refuse(key, value, "padded or packed");
    link.packing = value == "packed" ? Packing::packed : Packing::padded;
  };
  const auto time = [&](const char* name, Nanoseconds& target) {
    setters[direction + name] = [&target](auto& key, auto& value) { target = integer(key, value, 0, most); };
  };
  time("_begin_ns", link.playback.begin_ns);
  time("_length_ns", link.playback.length_ns);
  time("_offset_ns", link.playback.offset_ns);
}

Setters setters_of(Settings& s) {
  Setters setters;
  add_link(setters, "forward", s.links[0]);
  add_link(setters, "return", s.links[1]);
  const auto number = [&setters](const char* name, std::int64_t& target, std::int64_t least, std::int64_t highest) {
    setters[name] = [&target, least, highest](auto& key, auto& value) { target = integer(key, value, least, highest); };
  };
  const auto flag = [&setters](const char* name, bool& target) {
    setters[name] = [&target](auto& key, auto& value) { target = integer(key, value, 0, 1) == 1; };
  };
  flag("loop", s.loop);
  flag("in_order", s.in_order);
  flag("record", s.record);
  number("hold_ns", s.hold_ns, 0, most);
  number("rtt_ns", s.rtt_ns, 0, most);
  number("queue_packets", s.queue_packets, 1, most);
  number("mtu_bytes", s.mtu_bytes, 68, 65'535);
  number("server_wait_ns", s.server_wait_ns, 0, most);
  setters["folder"] = [&s](auto&, auto& value) { s.folder = value; };
  setters["server"] = [&s](auto&, auto& value) { s.server = value; };
  setters["sysctl"] = [&s](auto&, auto& value) { s.sysctls.push_back(value); };
  setters["port"] = [&s](auto& key, auto& value) { s.ports.push_back(integer(key, value, 1, 65'535)); };
  setters["lifeline"] = [&s](auto& key, auto& value) {
    s.lifeline = static_cast<int>(integer(key, value, 0, std::numeric_limits<int>::max()));
  };
  return setters;
}

}  // namespace

Settings settings_of(int argc, char** argv) {
  Settings settings;
  const Setters setters = setters_of(settings);
  int at = 1;
  for (; at < argc && std::string(argv[at]) != "--"; at += 2) {
    const std::string key = argv[at];
    const auto setter = setters.find(key);
    if (setter == setters.end()) throw SettingError(key + " is not a setting");
    if (at + 1 == argc) throw SettingError("the last key, " + key + ", has no value");
    setter->second(key, argv[at + 1]);
  }
  if (at + 1 >= argc) throw SettingError("there is no command; it follows `--`");
  settings.command.assign(argv + at + 1, argv + argc);
  return settings;
}

}  // namespace clift
