// A congestion control that shows which round-trip time it is told.
#define NS_PROTOCOL "tcp_probe.c"
#include "ns-linux-c.h"
static void probe(struct sock *sk, u32 ack, u32 rtt, u32 in_flight, int good) {
  printf("sample %ld\n", (long)rtt);
  tcp_reno_cong_avoid(sk, ack, rtt, in_flight, good);
}
static struct tcp_congestion_ops probe_ops = {
  .name = "probe", .ssthresh = tcp_reno_ssthresh, .cong_avoid = probe, .min_cwnd = tcp_reno_min_cwnd,
};
int Module_Init(void *interpreter) { return tcp_register_congestion_control(&probe_ops); }
