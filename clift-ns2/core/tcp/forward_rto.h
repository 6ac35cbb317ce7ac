// F-RTO: whether a retransmission timeout was needless, from the ACKs that follow it (RFC 5682, section 3, with SACK).
#pragma once

#include <cstdint>

namespace clift::tcp {

class ForwardRto {
 public:
  enum class Verdict {
    none,      // nothing is decided
    send_new,  // step 2b: send up to two new packets instead of retransmissions, and call on_new_data
    spurious,  // the timeout was needless
    genuine,   // recover as usual
  };

  struct Ack {
    bool advances = false;        // acknowledges in order what was not
    std::int64_t una = 0;         // after it
    bool delivers_original = false;  // something sent before the timeout and never again
    bool delivers_new = false;       // something sent after the timeout for the first time
    bool is_duplicate = false;       // does not advance
  };

  // After a timeout, `recovery_point` being what follows the last packet sent.
  void begin(std::int64_t recovery_point);
  void stop() { step_ = 0; }
  bool is_active() const { return step_ != 0; }
  bool awaits_first_ack() const { return step_ == 2; }
  bool awaits_second_ack() const { return step_ == 3; }  // nothing may be sent again meanwhile

  Verdict on_ack(const Ack& ack);

 private:
  int step_ = 0;  // of the RFC's algorithm; 0: not running
  std::int64_t recovery_point_ = 0;
};

}  // namespace clift::tcp
