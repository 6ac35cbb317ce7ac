// Base of ns-2's agents around senders of the core: one timer for all deadlines of a sender, and traced variables with
// the names of Agent/TCP/Linux.
#pragma once

#include <string>

#include "agent.h"
#include "tcp.h"

#include "core/time.h"
#include "timer.h"

namespace clift {

class SenderAgent : public TcpAgent {
 public:
  // `kind`: the class in Tcl, for messages.
  explicit SenderAgent(std::string kind);

  // All sending commands of an application end here: curseq_ packets are to be sent.
  void send_much(int force, int reason, int burst) override;
  void timeout(int) override {}
  void rtt_init() override;

 protected:
  virtual void offer() = 0;  // passes curseq_ to the sender; the first call starts the sender
  virtual Nanoseconds next_deadline_ns() const = 0;
  virtual void on_deadline() = 0;
  virtual void show() = 0;  // updates ns-2's traced variables

  // Call this after every event of the sender.
  void update();

  // Ends the transfer: all data of the application have been acknowledged.
  void complete();

  TracedDouble srtt_s_;
  TracedInt ca_state_;  // a number of Linux's enum tcp_ca_state
  TracedDouble pacing_bps_;  // TCP payload, in bit/s; 0: not paced

 private:
  void check_settings() const;
  void on_timer();

  const std::string kind_;

  DeadlineTimer<SenderAgent, &SenderAgent::on_timer> timer_{*this};
};

}  // namespace clift
