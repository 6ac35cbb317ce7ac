// F-RTO: detects a spurious retransmission timeout from the ACKs that follow it (RFC 5682, section 3, with SACK).
#pragma once

#include <cstdint>

namespace clift::tcp {

class ForwardRto {
 public:
  enum class Verdict {
    none,      // undecided
    send_new,  // step 2b: send up to two new packets instead of retransmissions, and call on_new_data
    spurious,  // the timeout was spurious
    genuine,   // recover as usual
  };

  struct Ack {
    bool advances = false;        // acknowledges new packets in order
    std::int64_t una = 0;         // after it
    bool delivers_original = false;  // delivers a packet that was sent before the timeout, and only once
    bool delivers_new = false;       // delivers a packet that was first sent after the timeout
    bool is_duplicate = false;       // does not advance
  };

  // After a timeout; `recovery_point` is the packet behind the last one sent.
  void begin(std::int64_t recovery_point);
  void stop() { step_ = 0; }
  bool is_active() const { return step_ != 0; }
  bool awaits_first_ack() const { return step_ == 2; }
  bool awaits_second_ack() const { return step_ == 3; }  // no retransmissions meanwhile

  Verdict on_ack(const Ack& ack);

 private:
  int step_ = 0;  // of the RFC's algorithm; 0: not running
  std::int64_t recovery_point_ = 0;
};

}  // namespace clift::tcp
