#include "core/aqm/codel.h"

namespace clift {

void CoDel::enqueue(const QueuedPacket& packet) {
  expire(fifo_, packet.arrival_ns);
  if (!has_room(fifo_.load(), packet)) return drop(packet, DropCause::limit);
  fifo_.push(packet);
}

bool CoDel::dequeue(Nanoseconds now_ns, QueuedPacket& packet) {
  expire(fifo_, now_ns);
  return control_.dequeue(fifo_, now_ns, options_, packet, [this](QueuedPacket& late) { return mark_or_drop(late); });
}

}  // namespace clift
