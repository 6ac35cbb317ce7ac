// `ErrorModel/NeymanA`: an error model of ns-2 whose errors come in clusters.
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "errmodel.h"
#include "random.h"

#include "core/clustered_losses.h"
#include "failure.h"
#include "named_class.h"

namespace clift {

namespace {

// It works like any ErrorModel, on links and in wireless nodes; `rate_` is the probability that a packet is lost. In
// unit pkt every packet has length 1; in unit byte the length is the packet's size / `packet_bytes_`.
class NeymanAErrorModel : public ErrorModel {
 public:
  NeymanAErrorModel() {
    bind("errors_per_cluster_", &errors_per_cluster_);
    bind("cluster_packets_", &cluster_packets_);
    bind("packet_bytes_", &packet_bytes_);
  }

  int corrupt(Packet* packet) override {
    if (enable_ == 0) return 0;
    // At the first packet the script has set all variables.
    if (!losses_) losses_ = std::make_unique<ClusteredLosses>(options(), [this] { return uniform(); });
    const int bytes = hdr_cmn::access(packet)->size();
    const bool lost = losses_->next_is_lost(unit_ == EU_BYTE ? static_cast<double>(bytes) / packet_bytes_ : 1.0);
    ++packets_;
    packets_lost_ += lost;
    if (!lost) bytes_passed_ += bytes;
    return lost ? 1 : 0;
  }

 protected:
  // `counters`: names and values of the counters.
  int command(int argc, const char* const* argv) override {
    if (argc == 2 && std::strcmp(argv[1], "counters") == 0) {
      const std::string counters = "packets " + std::to_string(packets_) + " packets_lost " +
                                   std::to_string(packets_lost_) + " bytes_passed " + std::to_string(bytes_passed_);
      Tcl::instance().resultf("%s", counters.c_str());
      return TCL_OK;
    }
    return ErrorModel::command(argc, argv);
  }

 private:
  double uniform() const { return ranvar_ != nullptr ? ranvar_->value() : Random::uniform(); }

  ClusterOptions options() const {
    if (unit_ != EU_PKT && unit_ != EU_BYTE) fail("ErrorModel/NeymanA: unit must be pkt or byte");
    if (packet_bytes_ < 1) refuse("packet_bytes_", packet_bytes_, "1 or more");
    if (!lies_within(rate_, 0, 1) || rate_ == 1) refuse("rate_", rate_, "a probability, from 0 to below 1");
    if (!lies_within(errors_per_cluster_, 0, most) || errors_per_cluster_ == 0) {
      refuse("errors_per_cluster_", errors_per_cluster_, "a positive number, at most 1e15");
    }
    if (!lies_within(cluster_packets_, 0, most)) refuse("cluster_packets_", cluster_packets_, "0 or more, at most 1e15");
    const ClusterOptions options{rate_, errors_per_cluster_, cluster_packets_};
    if (ClusteredLosses::clusters_at_once(options) > most_at_once) {
      refuse("cluster_packets_", cluster_packets_, "a length at which no more than 100,000 clusters lie over each other");
    }
    return options;
  }

  [[noreturn]] static void refuse(const char* variable, double value, const char* allowed) {
    clift::refuse(std::string("ErrorModel/NeymanA: ") + variable, shown(value), allowed);
  }

  static constexpr double most = 1e15, most_at_once = 1e5;

  double errors_per_cluster_;
  double cluster_packets_;
  int packet_bytes_;
  std::int64_t packets_ = 0;
  std::int64_t packets_lost_ = 0;
  std::int64_t bytes_passed_ = 0;
  std::unique_ptr<ClusteredLosses> losses_;
};

NamedClass<NeymanAErrorModel> neyman_a_error_model_class("ErrorModel/NeymanA");

}  // namespace

}  // namespace clift
