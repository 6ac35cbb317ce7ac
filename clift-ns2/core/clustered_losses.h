// Packet losses by errors in clusters (Neyman type A).
#pragma once

#include <cstddef>
#include <deque>

#include "core/uniform_source.h"

namespace clift {

// Lengths are in packets of one size: a cluster's errors lie over `cluster_packets` of them, 0: at one point.
struct ClusterOptions {
  double loss_probability = 0.0;  // of a packet of length 1; below 1
  double errors_per_cluster = 1.0;
  double cluster_packets = 0.0;
};

// Packets lie one behind the other on a line, whatever the time between them. Clusters begin as a Poisson process and
// have a Poisson number of errors, each anywhere within the cluster with equal probability. Given the clusters, the
// numbers of errors in different packets are independent, and a packet has no error with probability exp(-mean number
// of errors in it).
class ClusteredLosses {
 public:
  // The line has always been there: clusters may reach into the first packet.
  ClusteredLosses(const ClusterOptions& options, UniformSource uniform);

  // Whether the next packet, of this length, has an error.
  bool next_is_lost(double length = 1.0);

  // Mean number of clusters that lie over one point of the line: the cost of a packet in work and memory.
  static double clusters_at_once(const ClusterOptions& options);

 private:
  static double clusters_per_packet(const ClusterOptions& options);
  double gap();

  ClusterOptions options_;
  UniformSource uniform_;
  double clusters_per_packet_;
  double until_next_;        // from here to where the next cluster begins
  std::deque<double> open_;  // remaining length of each cluster that lies over this point, in their order
};

}  // namespace clift
