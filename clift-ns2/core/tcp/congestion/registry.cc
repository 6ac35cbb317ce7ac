// The congestion controls by name.
#include <map>

#include "core/tcp/congestion/bbr.h"
#include "core/tcp/congestion/bbr3.h"
#include "core/tcp/congestion/compound.h"
#include "core/tcp/congestion/cubic.h"
#include "core/tcp/congestion/hybla.h"
#include "core/tcp/congestion/reno.h"
#include "core/tcp/congestion/westwood.h"
#include "core/tcp/congestion_control.h"

namespace clift::tcp {

namespace {

using Maker = std::unique_ptr<CongestionControl> (*)(const ControlParameters& parameters);

template <typename Control>
std::unique_ptr<CongestionControl> make(const ControlParameters& parameters) {
  return std::make_unique<Control>(parameters);
}

const std::map<std::string, Maker>& makers() {
  static const std::map<std::string, Maker> all = {
      {"bbr", make<Bbr>},     {"bbr3", make<Bbr3>}, {"compound", make<Compound>}, {"cubic", make<Cubic>},
      {"hybla", make<Hybla>}, {"reno", make<Reno>}, {"westwood", make<Westwood>},
  };
  return all;
}

}  // namespace

std::unique_ptr<CongestionControl> make_congestion_control(const std::string& name,
                                                           const ControlParameters& parameters) {
  const auto found = makers().find(name);
  return found == makers().end() ? nullptr : found->second(parameters);
}

std::vector<std::string> congestion_control_names() {
  std::vector<std::string> names;
  for (const auto& [name, maker] : makers()) names.push_back(name);
  return names;
}

}  // namespace clift::tcp
