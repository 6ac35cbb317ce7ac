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

  // Adds a setting. Its target lives as long as the table is used; bounds are allowed values themselves.
  void add(const std::string& key, Setter setter) { setters_[key] = std::move(setter); }
  void add_text(const std::string& key, std::string& target);
  void add_flag(const std::string& key, bool& target);
  void add_whole(const std::string& key, std::int64_t& target, std::int64_t least, std::int64_t most);
  void add_real(const std::string& key, double& target, double least, double most);
  // Read in seconds, such as 0.005; bounds are in nanoseconds.
  void add_seconds(const std::string& key, Nanoseconds& target, Nanoseconds least_ns, Nanoseconds most_ns);
  template <class Value>
  void add_choice(const std::string& key, Value& target, std::vector<std::pair<const char*, Value>> choices) {
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
    });
  }

  // Sets the target of a key. Throws SettingError.
  void set(const std::string& key, const std::string& value) const;

  // Throws SettingError: `KEY is VALUE; allowed is ALLOWED`.
  [[noreturn]] static void refuse(const std::string& key, const std::string& value, const std::string& allowed);

 private:
  std::map<std::string, Setter> setters_;
};

}  // namespace clift
