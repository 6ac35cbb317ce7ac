// ACK thinning before the queue of a return link (core/ack_thinning.h).
//
//   new Clift/AckFilter RECORDER QUEUE        an ACK takes the place of an older one that waits in the queue
//   new Clift/AckSpacing RECORDER INTERVAL_S  at most one plain ACK of a flow passes in an interval
#include <cstdint>
#include <memory>

#include "connector.h"
#include "ip.h"
#include "queue.h"
#include "tcp.h"

#include "core/ack_thinning.h"
#include "core/words.h"
#include "clift_queue.h"
#include "ecn_bits.h"
#include "failure.h"
#include "link_queue.h"
#include "named_class.h"
#include "recorder.h"
#include "sim_time.h"
#include "timer.h"

namespace clift {

namespace {

AckView view_of(Packet* packet) {
  const hdr_cmn* common = hdr_cmn::access(packet);
  AckView view;
  view.flow = hdr_ip::access(packet)->flowid();
  view.size_bytes = common->size_;
  view.is_plain = common->ptype_ == PT_ACK && hdr_tcp::access(packet)->sa_length_ == 0;
  if (view.is_plain) view.acknowledged = hdr_tcp::access(packet)->seqno_;
  view.flags = static_cast<unsigned>(ace_of(packet));
  return view;
}

class Thinning : public Connector {
 public:
  explicit Thinning(Recorder* recorder) : recorder_(recorder) {}

 protected:
  void remove(Packet* packet) {
    recorder_->met(packet, schema::PacketEvent::ack_thinned);
    Packet::free(packet);
  }

 private:
  Recorder* recorder_;
};

// ns-2's list of the packets in a queue, opened to put one packet in the place of another.
class Places : public PacketQueue {
 public:
  static PacketQueue& of(Queue& queue) { return *(queue.*&Opened::pq_); }

  // Puts `newer` in the place of the packet with this number, and returns that one; null if it is not in the queue, or at
  // its head and `is_head_sent`.
  static Packet* put(PacketQueue& packets, Packet* newer, int uid, bool is_head_sent) {
    Packet* before = nullptr;
    for (Packet* older = packets.head(); older != nullptr; before = older, older = older->next_) {
      if (hdr_cmn::access(older)->uid() != uid) continue;
      if (before == nullptr && is_head_sent) return nullptr;
      newer->next_ = older->next_;
      (before == nullptr ? packets.*&Places::head_ : before->next_) = newer;
      if (newer->next_ == nullptr) packets.*&Places::tail_ = newer;
      older->next_ = nullptr;
      return older;
    }
    return nullptr;
  }

 private:
  struct Opened : Queue {
    using Queue::pq_;
  };
};

class Filter : public Thinning {
 public:
  Filter(Recorder* recorder, Queue* queue)
      : Thinning(recorder), queue_(*queue), link_queue_(dynamic_cast<LinkQueue*>(queue)), clift_queue_(dynamic_cast<CliftQueue*>(queue)) {}

  void recv(Packet* packet, Handler* handler) override {
    const AckView view = view_of(packet);
    const int uid = hdr_cmn::access(packet)->uid();
    const auto place = filter_.place_for(view);
    Packet* older = place ? exchange(packet, *place) : nullptr;
    if (older != nullptr) {
      remove(older);
    } else {
      target_->recv(packet, handler);
      if (is_dropped(packet)) return;
    }
    filter_.joined(view, uid);
  }

 private:
  Packet* exchange(Packet* newer, int uid) {
    if (clift_queue_ != nullptr) return clift_queue_->exchange(newer, uid);
    return Places::put(Places::of(queue_), newer, uid, link_queue_ != nullptr);
  }

  // Whether the queue has not taken the packet that it got last.
  bool is_dropped(const Packet* packet) const {
    if (link_queue_ != nullptr) return link_queue_->last_taken() != packet;
    PacketQueue& packets = Places::of(queue_);
    return packets.length() > 0 && packets.tail() != packet;
  }

  Queue& queue_;
  LinkQueue* const link_queue_;    // the same if it is CLIFT's own; it holds the packet that it sends
  CliftQueue* const clift_queue_;  // the same if it has a discipline
  AckFilter<int> filter_;
};

class Spacing : public Thinning {
 public:
  Spacing(Recorder* recorder, double interval_s) : Thinning(recorder), spacing_(to_ns(interval_s)) {}

  void recv(Packet* packet, Handler*) override {
    spacing_.release(now_ns());
    if (const auto replaced = spacing_.arrive(now_ns(), view_of(packet), packet)) remove(*replaced);
    follow_up();
  }

 private:
  void release() {
    spacing_.release(now_ns());
    follow_up();
  }

  void follow_up() {
    for (const auto& passed : spacing_.take_passed()) target_->recv(passed.packet, static_cast<Handler*>(nullptr));
    if (spacing_.next_ns() == set_ns_) return;
    set_ns_ = spacing_.next_ns();
    timer_.cancel();
    if (set_ns_ != never) timer_.set(set_ns_);
  }

  AckSpacing<Packet*> spacing_;
  Nanoseconds set_ns_ = never;
  Timer<Spacing, &Spacing::release> timer_{*this};
};

MadeClass filter_class("Clift/AckFilter", [](int argc, const char* const* argv) -> TclObject* {
  auto* queue = argc == 6 ? dynamic_cast<Queue*>(TclObject::lookup(argv[5])) : nullptr;
  if (queue == nullptr) fail("Clift/AckFilter: needs a recorder and a queue");
  return new Filter(Recorder::called(argv[4]), queue);
});

MadeClass spacing_class("Clift/AckSpacing", [](int argc, const char* const* argv) -> TclObject* {
  if (argc != 6) fail("Clift/AckSpacing: needs a recorder and an interval in seconds");
  const auto interval_s = number_in(argv[5], 1e-9, 4611686018.0);
  if (!interval_s) refuse("Clift/AckSpacing: the interval", argv[5], "a time in seconds, more than 0");
  return new Spacing(Recorder::called(argv[4]), *interval_s);
});

}  // namespace

}  // namespace clift
