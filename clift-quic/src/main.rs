//! Runs QUIC flows over the links of settings.txt in the current folder, in simulated time.
mod flow;
mod link;
mod random;
mod transport;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use flow::{Clock, Flow, Wish};
use link::{FlowSettings, Path, DIRECTIONS};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Task {
    Start,
    Stop,
    Resume,
    Timer(usize),
}

/// What flows have to do, in order of time, flow and task.
type Agenda = BinaryHeap<Reverse<(i64, usize, Task)>>;

struct Run {
    path: Path,
    flows: Vec<Flow>,
    agenda: Agenda,
    /// Transfers that are not acknowledged, and one more that never ends if a forward flow has no end.
    unfinished: usize,
}

impl Run {
    /// Does all that is due now. What a flow does may be due at once, too.
    fn step(&mut self, now_ns: i64) {
        let mut is_busy = true;
        while is_busy {
            is_busy = false;
            for direction in 0..DIRECTIONS {
                while let Some(datagram) = self.path.arrived(now_ns, direction) {
                    is_busy = true;
                    let flow = datagram.flow;
                    let wishes = self.flows[flow].receive(datagram, now_ns, &mut self.path);
                    self.plan(flow, wishes);
                }
            }
            while self.agenda.peek().is_some_and(|Reverse((time_ns, ..))| *time_ns <= now_ns) {
                is_busy = true;
                let Some(Reverse((_, flow, task))) = self.agenda.pop() else { break };
                let own = &mut self.flows[flow];
                let wishes = match task {
                    Task::Start => own.start(now_ns, &mut self.path),
                    Task::Resume => own.resume(now_ns, &mut self.path),
                    Task::Timer(end) => own.timeout(end, now_ns, &mut self.path),
                    Task::Stop => {
                        own.stop();
                        Vec::new()
                    }
                };
                self.plan(flow, wishes);
            }
        }
    }

    fn plan(&mut self, flow: usize, wishes: Vec<Wish>) {
        for wish in wishes {
            match wish {
                Wish::Timer { end, time_ns } => self.agenda.push(Reverse((time_ns, flow, Task::Timer(end)))),
                Wish::Resume { time_ns } => self.agenda.push(Reverse((time_ns, flow, Task::Resume))),
                Wish::Done => self.unfinished -= 1,
            }
        }
    }

    fn next_ns(&self) -> i64 {
        let own = self.agenda.peek().map_or(i64::MAX, |Reverse((time_ns, ..))| *time_ns);
        own.min(self.path.next_ns())
    }
}

fn unfinished(flows: &[FlowSettings]) -> usize {
    let transfers = flows.iter().filter(|flow| flow.transfer_bytes > 0).count();
    let is_endless = flows.iter().any(|flow| flow.transfer_bytes == 0 && flow.direction == 0);
    transfers + usize::from(is_endless)
}

fn main() {
    let (path, settings, of_flows) = Path::open();
    random::seed(settings.seed as u64);
    let clock = Clock::new();
    let mut agenda = Agenda::new();
    for (number, own) in of_flows.iter().enumerate() {
        agenda.push(Reverse((own.start_ns, number, Task::Start)));
        if own.end_ns > 0 {
            agenda.push(Reverse((own.end_ns, number, Task::Stop)));
        }
    }
    let flows = of_flows.iter().enumerate().map(|(number, own)| Flow::new(number, own, &settings, clock)).collect();
    let mut run = Run { path, flows, agenda, unfinished: unfinished(&of_flows) };
    let mut now_ns = 0;
    while run.unfinished > 0 {
        let next_ns = run.next_ns();
        if next_ns >= settings.duration_ns {
            now_ns = settings.duration_ns;
            break;
        }
        now_ns = next_ns;
        run.step(now_ns);
    }
    for (number, flow) in run.flows.iter().enumerate() {
        run.path.count("lost_packets", Some(number), flow.lost_packets());
    }
    run.path.close(now_ns);
}
