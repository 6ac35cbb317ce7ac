// Whether the path's bandwidth is in use: it no longer grows though more is sent (BBR's full pipe).
#pragma once

namespace clift::tcp {

// draft-ietf-ccwg-bbr, "Exiting Startup based on bandwidth plateau": three rounds without growth by a quarter.
class BandwidthPlateau {
 public:
  bool is_reached() const { return is_reached_; }

  // Starts the search again, from this bandwidth on.
  void restart(double baseline) {
    baseline_ = baseline;
    rounds_ = 0;
    is_reached_ = false;
  }

  // It is known otherwise.
  void reach() { is_reached_ = true; }

  // The bandwidth at the end of a round that was not application-limited.
  void note_round(double bandwidth) {
    if (is_reached_) return;
    if (bandwidth >= baseline_ * growth) {
      restart(bandwidth);
      return;
    }
    is_reached_ = ++rounds_ >= most_rounds;
  }

 private:
  static constexpr double growth = 1.25;
  static constexpr int most_rounds = 3;

  double baseline_ = 0.0;
  int rounds_ = 0;
  bool is_reached_ = false;
};

}  // namespace clift::tcp
