#include "core/clustered_losses.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace clift {

namespace {

// Length of the line on which a cluster may begin and have an error in a given packet: the integral of 1 - exp(-mean
// errors in the packet) over the cluster's beginning.
double reach(const ClusterOptions& options) {
  const double length = options.cluster_packets;
  const double most = options.errors_per_cluster / std::max(1.0, length);
  const double inside = -std::expm1(-most);
  const double at_an_edge = most < 1e-4 ? most / 2 - most * most / 6 : 1 - inside / most;
  return std::abs(1 - length) * inside + 2 * std::min(1.0, length) * at_an_edge;
}

}  // namespace

ClusteredLosses::ClusteredLosses(const ClusterOptions& options, UniformSource uniform)
    : options_(options), uniform_(std::move(uniform)), clusters_per_packet_(clusters_per_packet(options)) {
  // The process looks the same in both directions, so this goes backwards from here.
  for (double rest = options_.cluster_packets - gap(); rest > 0; rest -= gap()) open_.push_front(rest);
  until_next_ = gap();
}

bool ClusteredLosses::next_is_lost(double length) {
  double clusters = 0;  // that lie in the packet; each counts by its part there
  for (double& rest : open_) {
    clusters += std::min(rest, length) / options_.cluster_packets;
    rest -= length;
  }
  for (; until_next_ < length; until_next_ += gap()) {
    const double rest = options_.cluster_packets - (length - until_next_);
    clusters += rest > 0 ? (length - until_next_) / options_.cluster_packets : 1;
    open_.push_back(rest);
  }
  until_next_ -= length;
  while (!open_.empty() && open_.front() <= 0) open_.pop_front();
  return clusters > 0 && uniform_() < -std::expm1(-clusters * options_.errors_per_cluster);
}

double ClusteredLosses::clusters_per_packet(const ClusterOptions& options) {
  return -std::log1p(-options.loss_probability) / reach(options);
}

double ClusteredLosses::clusters_at_once(const ClusterOptions& options) {
  return clusters_per_packet(options) * options.cluster_packets;
}

double ClusteredLosses::gap() {
  if (clusters_per_packet_ <= 0) return std::numeric_limits<double>::infinity();
  return -std::log(uniform_()) / clusters_per_packet_;
}

}  // namespace clift
