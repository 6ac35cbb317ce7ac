#include "core/aqm/droptail.h"

#include "core/setting_table.h"

namespace clift {

void DropTailOptions::declare(SettingTable& table) {
  table.add_choice<DropEnd>("drop", drop, {{"tail", DropEnd::tail}, {"head", DropEnd::head}});
}

void DropTail::enqueue(const QueuedPacket& packet) {
  expire(fifo_, packet.arrival_ns);
  while (options_.drop == DropEnd::head && !fifo_.empty() && !has_room(fifo_.load(), packet)) {
    drop(fifo_.pop(), DropCause::limit);
  }
  if (!has_room(fifo_.load(), packet)) return drop(packet, DropCause::limit);
  fifo_.push(packet);
}

bool DropTail::dequeue(Nanoseconds now_ns, QueuedPacket& packet) {
  expire(fifo_, now_ns);
  if (fifo_.empty()) return false;
  packet = fifo_.pop();
  return true;
}

}  // namespace clift
