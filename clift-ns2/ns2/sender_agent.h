// What ns-2's agents around senders of the core have in common: one timer for whatever a sender waits for, and variables
// that tracers read under the names that Agent/TCP/Linux gives them.
#pragma once

#include "agent.h"
#include "tcp.h"
#include "timer-handler.h"

#include "core/time.h"

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
  class Timer : public TimerHandler {
   public:
    explicit Timer(SenderAgent* agent) : agent_(agent) {}
    void expire(Event*) override { agent_->on_timer(); }

   private:
    SenderAgent* agent_;
  };

  void on_timer();
  void arm();

  Timer timer_;
  Nanoseconds armed_ns_ = never;  // when timer_ will expire; never: it is not set
};

}  // namespace clift
