#include "core/setting_table.h"

#include <cstdio>
#include <limits>

#include "core/text.h"
#include "core/words.h"

namespace clift {

namespace {

// Without the zeros that std::to_string writes.
std::string text_of(double number, int digits = 12) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", digits, number);
  return text;
}

}  // namespace

void SettingTable::add_text(const std::string& key, std::string& target) {
  add(key, [&target](const std::string& value) { target = value; }, [&target] { return target; });
}

void SettingTable::add_flag(const std::string& key, bool& target) {
  add(key, [key, &target](const std::string& value) {
    if (value != "0" && value != "1") refuse(key, value, "0 or 1");
    target = value == "1";
  }, [&target] { return std::string(target ? "1" : "0"); });
}

void SettingTable::add_whole(const std::string& key, std::int64_t& target, std::int64_t least, std::int64_t most) {
  add(key, [key, &target, least, most](const std::string& value) {
    const auto number = number_in(value, least, most);
    if (!number) refuse(key, value, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    target = *number;
  }, [&target] { return std::to_string(target); });
}

void SettingTable::add_real(const std::string& key, double& target, double least, double most) {
  add(key, [key, &target, least, most](const std::string& value) {
    const auto number = number_in(value, least, most);
    if (!number) refuse(key, value, "a number from " + text_of(least) + " to " + text_of(most));
    target = *number;
  }, [&target] { return text_of(target, std::numeric_limits<double>::max_digits10); });
}

void SettingTable::add_seconds(const std::string& key, Nanoseconds& target, Nanoseconds least_ns, Nanoseconds most_ns) {
  add(key, [key, &target, least_ns, most_ns](const std::string& value) {
    const auto time_ns = nanoseconds_in(value);
    if (!time_ns || *time_ns < least_ns || *time_ns > most_ns) {
      refuse(key, value, "a time in seconds from " + seconds_text(least_ns) + " to " + seconds_text(most_ns));
    }
    target = *time_ns;
  }, [&target] { return seconds_text(target); });
}

void SettingTable::set(const std::string& key, const std::string& value) const {
  const auto found = settings_.find(key);
  if (found != settings_.end()) return found->second.set(value);
  std::string keys;
  for (const auto& [known, _] : settings_) keys += (keys.empty() ? "" : ", ") + known;
  throw SettingError(key + " is not a setting; there are " + (keys.empty() ? "none" : keys));
}

std::vector<std::pair<std::string, std::string>> SettingTable::values() const {
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& [key, setting] : settings_) {
    if (setting.get) found.emplace_back(key, setting.get());
  }
  return found;
}

void SettingTable::refuse(const std::string& key, const std::string& value, const std::string& allowed) {
  throw SettingError(key + " is " + value + "; allowed is " + allowed);
}

}  // namespace clift
