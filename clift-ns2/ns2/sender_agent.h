// What ns-2's agents around senders of the core have in common: one timer for whatever a sender waits for, and variables
// that tracers read under the names that Agent/TCP/Linux gives them.
#pragma once

#include "agent.h"
#include "tcp.h"

#include "core/time.h"
#include "timer.h"

namespace clift {

class SenderAgent : public TcpAgent {
 public:
  SenderAgent();

  // Whatever the application asks for ends here: curseq_ packets are to be sent.
  void send_much(int force, int reason, int burst) override;
  void timeout(int) override {}

 protected:
  virtual void offer() = 0;  // the sender, which begins with it, learns curseq_
  virtual Nanoseconds next_deadline_ns() const = 0;
  virtual void on_deadline() = 0;
  virtual void show() = 0;  // brings ns-2's traced variables up to date

  // To be called after whatever happened to the sender.
  void update();

  // All that the application has asked for is done.
  void complete();

  TracedDouble srtt_s_;
  TracedInt ca_state_;  // a number of Linux's enum tcp_ca_state

 private:
  void on_timer();

  DeadlineTimer<SenderAgent> timer_{*this, &SenderAgent::on_timer};
};

}  // namespace clift
