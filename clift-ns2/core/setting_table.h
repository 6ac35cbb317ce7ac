// Settings that are read from words, such as those of a command line: each has a key, a target and allowed values.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/time.h"

namespace clift {

// A wrong setting; the message names the key, the value and the allowed values.
class SettingError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class SettingTable {
 public:
  using Setter = std::function<void(const std::string& value)>;
  using Getter = std::function<std::string()>;

  // Adds a setting. Its target lives as long as the table is used; bounds are allowed values themselves.
  void add(const std::string& key, Setter setter, Getter getter = {}) {
    settings_[key] = {std::move(setter), std::move(getter)};
  }
  void add_text(const std::string& key, std::string& target);
  void add_flag(const std::string& key, bool& target);
  void add_whole(const std::string& key, std::int64_t& target, std::int64_t least, std::int64_t most);
  void add_real(const std::string& key, double& target, double least, double most);
  // Read in seconds, such as 0.005, exactly to the nanosecond; bounds are in nanoseconds.
  void add_seconds(const std::string& key, Nanoseconds& target, Nanoseconds least_ns, Nanoseconds most_ns);
  template <class Value>
  void add_choice(const std::string& key, Value& target, std::vector<std::pair<const char*, Value>> choices) {
    const auto getter = [&target, choices] {
      for (const auto& [name, choice] : choices) {
        if (target == choice) return std::string(name);
      }
      return std::string();
    };
    add(key, [key, &target, choices = std::move(choices)](const std::string& value) {
      std::string names;
      for (const auto& [name, choice] : choices) {
        if (value == name) {
          target = choice;
          return;
        }
        names += (names.empty() ? "" : " or ") + std::string(name);
      }
      refuse(key, value, names);
    }, getter);
  }

  // Sets the target of a key. Throws SettingError.
  void set(const std::string& key, const std::string& value) const;

  // Keys and values, as words that `set` reads, of the settings that have a getter.
  std::vector<std::pair<std::string, std::string>> values() const;

  // Throws SettingError: `KEY is VALUE; allowed is ALLOWED`.
  [[noreturn]] static void refuse(const std::string& key, const std::string& value, const std::string& allowed);

 private:
  struct Setting {
    Setter set;
    Getter get;
  };

  std::map<std::string, Setting> settings_;
};

}  // namespace clift
