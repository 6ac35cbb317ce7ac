#include "core/aqm/disciplines.h"

#include <sstream>
#include <type_traits>

#include "core/aqm/codel.h"
#include "core/aqm/droptail.h"
#include "core/aqm/dualpi2.h"
#include "core/aqm/fq_codel.h"
#include "core/aqm/pie.h"
#include "core/setting_table.h"

namespace clift {

namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

// Options of a type that declares its parameters in a table.
template <class Options>
Options options_from(const Parameters& parameters) {
  Options options;
  SettingTable table;
  options.declare(table);
  for (const auto& [key, value] : parameters) table.set(key, value);
  return options;
}

template <class Chosen, class Options>
std::unique_ptr<Discipline> make(const Parameters& parameters, const QueueLimits& limits, UniformSource uniform) {
  if constexpr (std::is_constructible_v<Chosen, QueueLimits, Options, UniformSource>) {
    return std::make_unique<Chosen>(limits, options_from<Options>(parameters), std::move(uniform));
  } else {
    return std::make_unique<Chosen>(limits, options_from<Options>(parameters));
  }
}

struct Entry {
  const char* name;
  std::unique_ptr<Discipline> (*make)(const Parameters&, const QueueLimits&, UniformSource);
};

constexpr Entry disciplines[] = {
    {"droptail", make<DropTail, DropTailOptions>}, {"codel", make<CoDel, CoDelOptions>},
    {"fq-codel", make<FqCoDel, FqCoDelOptions>},   {"pie", make<Pie, PieOptions>},
    {"dualpi2", make<DualPi2, DualPi2Options>},
};

}  // namespace

DisciplineChoice DisciplineChoice::of(const std::string& words) {
  std::istringstream in(words);
  DisciplineChoice choice;
  in >> choice.name;
  for (std::string key, value; in >> key;) {
    if (!(in >> value)) throw SettingError("queue " + choice.name + ": " + key + " has no value");
    choice.parameters.emplace_back(key, value);
  }
  make_discipline(choice, {}, {});
  return choice;
}

std::string DisciplineChoice::words() const {
  std::string all = name;
  for (const auto& [key, value] : parameters) all.append(" ").append(key).append(" ").append(value);
  return all;
}

std::unique_ptr<Discipline> make_discipline(const DisciplineChoice& choice, const QueueLimits& limits,
                                            UniformSource uniform) {
  std::string names;
  for (const Entry& entry : disciplines) {
    if (choice.name != entry.name) {
      names += (names.empty() ? "" : ", ") + std::string(entry.name);
      continue;
    }
    try {
      return entry.make(choice.parameters, limits, std::move(uniform));
    } catch (const SettingError& error) {
      throw SettingError("queue " + choice.name + ": " + error.what());
    }
  }
  SettingTable::refuse("queue", choice.name, names);
}

}  // namespace clift
