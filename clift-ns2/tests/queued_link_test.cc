// Examples worked by hand: rows 10 ns apart from time 0 on, each with 1500 bytes and delivered at once.
#include "core/queued_link.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/setting_table.h"
#include "tests/rows.h"

namespace clift {
namespace {

// A host that keeps the numbers of packets by what became of them.
class Host {
 public:
  Host(const Rows& rows, const QueueOptions& queue) : link_(DeliveryPlan(view(rows), PlanOptions()), queue) {}

  void take(Nanoseconds now_ns, std::int64_t size_bytes = 1500) {
    advance(now_ns - 1);
    QueuedPacket packet;
    packet.handle = &numbers_[next_++];
    packet.arrival_ns = now_ns;
    packet.size_bytes = size_bytes;
    link_.take(packet);
    take_dropped(now_ns);
    advance(now_ns);
  }

  void advance(Nanoseconds until_ns) {
    for (;;) {
      const Nanoseconds departure_ns = link_.departure_ns();
      const Nanoseconds now_ns = std::min(departure_ns, link_.pull_ns());
      if (now_ns > until_ns || now_ns == never) return;
      if (departure_ns <= link_.pull_ns()) {
        log += number(link_.sending()->packet) + " sent at " + std::to_string(now_ns) + "\n";
        link_.depart();
      } else {
        link_.pull();
        take_dropped(now_ns);
      }
    }
  }

  QueuedLink& link() { return link_; }

  std::string log;

 private:
  std::string number(const QueuedPacket& packet) const {
    return std::to_string(static_cast<const char*>(packet.handle) - numbers_);
  }

  void take_dropped(Nanoseconds now_ns) {
    for (const DroppedPacket& dropped : link_.dropped()) {
      EXPECT_EQ(dropped.cause, DropCause::limit);
      log += number(dropped.packet) + " dropped at " + std::to_string(now_ns) + "\n";
    }
    link_.clear_dropped();
  }

  QueuedLink link_;
  char numbers_[16] = {};
  int next_ = 0;
};

QueueOptions options_of(const std::string& words) {
  QueueOptions options;
  options.discipline = DisciplineChoice::of(words);
  return options;
}

TEST(QueuedLink, CountsThePacketsOnTheLinkOrNot) {
  const Rows rows = even_rows(20, 0);
  for (const bool counts : {true, false}) {
    QueueOptions options;
    options.limits.packets = 1;
    options.limits_count_sending = counts;
    Host host(rows, options);
    host.take(0, 3000);  // in the rows of 0 and 10
    host.take(5);
    host.take(8);
    host.advance(100);
    EXPECT_EQ(host.log, counts ? "1 dropped at 5\n2 dropped at 8\n0 sent at 10\n"
                               : "2 dropped at 8\n0 sent at 10\n1 sent at 20\n");
  }
}

TEST(QueuedLink, LimitsBytes) {
  QueueOptions options;
  options.limits.bytes = 3000;
  const Rows rows = even_rows(20, 0);
  Host host(rows, options);
  host.take(1, 1500);
  host.take(2, 1000);
  host.take(3, 501);
  host.take(4, 500);
  host.take(5, 1);
  host.advance(100);
  EXPECT_EQ(host.log, "2 dropped at 3\n4 dropped at 5\n0 sent at 10\n1 sent at 20\n3 sent at 30\n");
}

TEST(QueuedLink, DropsWhatHasWaitedTooLongWhenTheLinkPullsIt) {
  QueueOptions options;
  options.limits.time_ns = 15;
  const Rows rows = even_rows(20, 0);
  Host host(rows, options);
  for (const Nanoseconds arrival_ns : {1, 2, 3, 5}) host.take(arrival_ns);
  host.advance(100);
  // Packet 2 has waited 17 ns at 20, packet 3 15 ns.
  EXPECT_EQ(host.log, "0 sent at 10\n1 dropped at 20\n2 dropped at 20\n3 sent at 20\n");
}

TEST(QueuedLink, DropsTheOldestPacketThatWaits) {
  QueueOptions options = options_of("droptail drop head");
  options.limits.packets = 2;
  const Rows rows = even_rows(20, 0);
  Host host(rows, options);
  host.take(0, 3000);  // on the link until 10: it stays
  host.take(1);
  host.take(2);
  host.take(3, 1500);
  host.advance(100);
  EXPECT_EQ(host.log, "1 dropped at 2\n2 dropped at 3\n0 sent at 10\n3 sent at 20\n");
}

TEST(QueuedLink, PullsAtTheRowThatSendsAfterAnOutage) {
  Rows rows = {delivered_row(10, 0), delivered_row(1000, 0), delivered_row(1010, 0)};
  QueueOptions options;
  options.limits.time_ns = 500;
  Host host(rows, options);
  host.take(1);
  host.take(2);   // at the departure of packet 0 it has waited 8 ns, at the next row 998 ns
  host.take(600);
  host.advance(2000);
  EXPECT_EQ(host.log, "0 sent at 10\n1 dropped at 600\n2 sent at 1000\n");
}

TEST(QueuedLink, StopsWithItsTraceAndKeepsWhatWaits) {
  const Rows rows = even_rows(2, 0);
  for (const bool counts : {true, false}) {
    QueueOptions options;
    options.limits.packets = 3;
    options.limits_count_sending = counts;
    Host host(rows, options);
    for (Nanoseconds arrival_ns = 1; arrival_ns < 7; ++arrival_ns) host.take(arrival_ns);
    host.advance(100);
    EXPECT_TRUE(host.link().stopped());
    EXPECT_EQ(host.link().queued(), 2);
    EXPECT_EQ(host.link().take_all(100).size(), 2u);
  }
}

TEST(QueuedLink, GivesAllPacketsBackAtOnceWithPie) {
  const Rows rows = even_rows(3, 0);
  Host host(rows, options_of("pie"));
  for (Nanoseconds arrival_ns = 1; arrival_ns < 4; ++arrival_ns) host.take(arrival_ns);
  EXPECT_EQ(host.link().take_all(5).size(), 3u);
}

TEST(QueuedLink, RefusesWhatIsNoDiscipline) {
  EXPECT_THROW(QueuedLink(RatePlan(1e6), {{"none", {}}, {}, true}), SettingError);
}

}  // namespace
}  // namespace clift
