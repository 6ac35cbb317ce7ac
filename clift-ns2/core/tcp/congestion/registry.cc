// The congestion controls by name.
#include <map>

#include "core/tcp/congestion/bbr.h"
#include "core/tcp/congestion/bbr3.h"
#include "core/tcp/congestion/careful_resume.h"
#include "core/tcp/congestion/compound.h"
#include "core/tcp/congestion/cubic.h"
#include "core/tcp/congestion/dctcp.h"
#include "core/tcp/congestion/hybla.h"
#include "core/tcp/congestion/prague.h"
#include "core/tcp/congestion/reno.h"
#include "core/tcp/congestion/westwood.h"
#include "core/tcp/congestion_control.h"

namespace clift::tcp {

namespace {

using Made = std::unique_ptr<CongestionControl>;

struct Entry {
  Made (*make)(const ControlParameters& parameters);
  bool has_choice_of_slow_start = false;
  bool can_resume = false;
};

template <typename Control>
Made make(const ControlParameters& parameters) {
  return std::make_unique<Control>(parameters);
}

template <typename Control>
Made make_resuming(const ControlParameters& parameters) {
  auto control = std::make_unique<Control>(parameters);
  if (!parameters.saved) return control;
  return std::make_unique<CarefulResume>(std::move(control), *parameters.saved, parameters.initial_window);
}

const std::map<std::string, Entry>& entries() {
  static const std::map<std::string, Entry> all = {
      {"bbr", {make<Bbr>, false, true}},
      {"bbr3", {make<Bbr3>, false, true}},
      {"compound", {make<Compound>}},
      {"cubic", {make_resuming<Cubic>, true, true}},
      {"dctcp", {make<Dctcp>}},
      {"hybla", {make<Hybla>}},
      {"prague", {make<Prague>}},
      {"reno", {make_resuming<Reno>, true, true}},
      {"westwood", {make<Westwood>}},
  };
  return all;
}

const Entry* find_entry(const std::string& name) {
  const auto found = entries().find(name);
  return found == entries().end() ? nullptr : &found->second;
}

}  // namespace

std::unique_ptr<CongestionControl> make_congestion_control(const std::string& name,
                                                           const ControlParameters& parameters) {
  const Entry* entry = find_entry(name);
  return entry == nullptr ? nullptr : entry->make(parameters);
}

bool has_choice_of_slow_start(const std::string& name) {
  const Entry* entry = find_entry(name);
  return entry != nullptr && entry->has_choice_of_slow_start;
}

bool can_resume(const std::string& name) {
  const Entry* entry = find_entry(name);
  return entry != nullptr && entry->can_resume;
}

std::vector<std::string> congestion_control_names() {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries()) names.push_back(name);
  return names;
}

}  // namespace clift::tcp
