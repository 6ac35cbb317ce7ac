#include "core/setting_table.h"

#include <cmath>
#include <cstdio>

#include "core/text.h"
#include "core/words.h"

namespace clift {

namespace {

// Without the zeros that std::to_string writes.
std::string text_of(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", number);
  return text;
}

}  // namespace

void SettingTable::add_text(const std::string& key, std::string& target) {
  add(key, [&target](const std::string& value) { target = value; });
}

void SettingTable::add_flag(const std::string& key, bool& target) {
  add(key, [key, &target](const std::string& value) {
    if (value != "0" && value != "1") refuse(key, value, "0 or 1");
    target = value == "1";
  });
}

void SettingTable::add_whole(const std::string& key, std::int64_t& target, std::int64_t least, std::int64_t most) {
  add(key, [key, &target, least, most](const std::string& value) {
    const auto number = number_in(value, least, most);
    if (!number) refuse(key, value, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    target = *number;
  });
}

void SettingTable::add_real(const std::string& key, double& target, double least, double most) {
  add(key, [key, &target, least, most](const std::string& value) {
    const auto number = number_in(value, least, most);
    if (!number) refuse(key, value, "a number from " + text_of(least) + " to " + text_of(most));
    target = *number;
  });
}

void SettingTable::add_seconds(const std::string& key, Nanoseconds& target, Nanoseconds least_ns, Nanoseconds most_ns) {
  add(key, [key, &target, least_ns, most_ns](const std::string& value) {
    constexpr double farthest_s = 1e9;
    const auto seconds = number_in(value, -farthest_s, farthest_s);
    const Nanoseconds time_ns = seconds ? std::llround(*seconds * 1e9) : 0;
    if (!seconds || time_ns < least_ns || time_ns > most_ns) {
      refuse(key, value, "a time in seconds from " + seconds_text(least_ns) + " to " + seconds_text(most_ns));
    }
    target = time_ns;
  });
}

void SettingTable::set(const std::string& key, const std::string& value) const {
  const auto setter = setters_.find(key);
  if (setter != setters_.end()) return setter->second(value);
  std::string keys;
  for (const auto& [known, _] : setters_) keys += (keys.empty() ? "" : ", ") + known;
  throw SettingError(key + " is not a setting; there are " + (keys.empty() ? "none" : keys));
}

void SettingTable::refuse(const std::string& key, const std::string& value, const std::string& allowed) {
  throw SettingError(key + " is " + value + "; allowed is " + allowed);
}

}  // namespace clift
