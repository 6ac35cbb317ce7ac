// The disciplines by name, with their parameters.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/aqm/discipline.h"
#include "core/uniform_source.h"

namespace clift {

// A discipline as users name it: `codel`, with `{"target", "0.005"}`.
struct DisciplineChoice {
  std::string name = "droptail";
  std::vector<std::pair<std::string, std::string>> parameters;  // keys and values; times are in seconds

  // Reads a name, keys and values in words between blanks: `codel target 0.005`. Throws SettingError.
  static DisciplineChoice of(const std::string& words);

  // The words that `of` reads.
  std::string words() const;

  bool is_droptail() const { return name == "droptail"; }

  // Whether the discipline reads `flow_hash`.
  bool tells_flows_apart() const { return name == "fq-codel"; }
};

// Throws SettingError if there is no such discipline or parameter, or a value is out of range. `uniform` is for
// disciplines that draw lots.
std::unique_ptr<Discipline> make_discipline(const DisciplineChoice& choice, const QueueLimits& limits,
                                            UniformSource uniform);

}  // namespace clift
