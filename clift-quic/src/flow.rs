//! A flow: a connection whose client sends data on streams, and whose server takes them.
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use quinn_proto::{Connection, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint, Endpoint, Event, StreamEvent, StreamId};

use crate::link::{fail, Datagram, FlowSettings, Path, Settings, Window};
use crate::transport;

pub const CLIENT: usize = 0;
pub const SERVER: usize = 1;

/// Datagrams that one call may make: as many as an operating system takes at once with segmentation offload.
const BATCH_DATAGRAMS: usize = 10;
const CHUNK_BYTES: usize = 1 << 20;
static ZEROS: [u8; CHUNK_BYTES] = [0; CHUNK_BYTES];

/// Simulated time: nanoseconds since an instant that nothing depends on.
#[derive(Clone, Copy)]
pub struct Clock(Instant);

impl Clock {
    pub fn new() -> Self {
        Self(Instant::now())
    }

    fn at(self, time_ns: i64) -> Instant {
        self.0 + Duration::from_nanos(time_ns as u64)
    }

    fn ns_of(self, instant: Instant) -> i64 {
        instant.saturating_duration_since(self.0).as_nanos() as i64
    }
}

/// What a flow asks for after it was driven.
pub enum Wish {
    /// An end wants to be called at a time.
    Timer { end: usize, time_ns: i64 },
    /// The first half of the transfer is acknowledged; the second one begins at a time.
    Resume { time_ns: i64 },
    /// All of the transfer is.
    Done,
}

struct End {
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    timer_ns: Option<i64>,
}

/// Data of one stream that have arrived.
#[derive(Default)]
struct Arrived {
    in_order_bytes: u64,
    ahead: BTreeMap<u64, u64>,
}

impl Arrived {
    /// Adds a part that was not there before; returns by how many bytes the data in order have grown.
    fn add(&mut self, offset: u64, bytes: u64) -> u64 {
        self.ahead.insert(offset, offset + bytes);
        let before = self.in_order_bytes;
        while let Some(entry) = self.ahead.first_entry().filter(|entry| *entry.key() <= self.in_order_bytes) {
            self.in_order_bytes = self.in_order_bytes.max(entry.remove());
        }
        self.in_order_bytes - before
    }
}

pub struct Flow {
    number: usize,
    direction: usize,
    pause_ns: i64,
    is_ecn: bool,
    ends: [End; 2],
    /// Bytes of each stream, one after the other; None: without end.
    streams: Vec<Option<u64>>,
    stream: Option<StreamId>,
    left_bytes: Option<u64>,
    is_stopped: bool,
    datagrams: i64,
    datagram_bytes: u64,
    /// The stream that the server reads: a second one begins when the first is read to its end.
    arriving: Option<(StreamId, Arrived)>,
    last_window: Option<Window>,
    clock: Clock,
    client: Option<quinn_proto::ClientConfig>,
}

impl Flow {
    pub fn new(number: usize, own: &FlowSettings, settings: &Settings, clock: Clock) -> Self {
        let shared = transport::transport(settings, own);
        let server = transport::server(shared.clone());
        let end = |side: usize, server| {
            let seed = (settings.seed as u64) << 32 | (2 * number + side) as u64;
            End {
                endpoint: Endpoint::new(transport::endpoint(settings, seed), server, true, None),
                connection: None,
                timer_ns: None,
            }
        };
        let transfer = own.transfer_bytes as u64;
        let first = own.first_half_bytes as u64;
        let streams = match transfer {
            0 => vec![None],
            _ if first > 0 => vec![Some(transfer - first), Some(first)],
            _ => vec![Some(transfer)],
        };
        Self {
            number,
            direction: own.direction,
            pause_ns: own.pause_ns,
            is_ecn: own.is_ecn,
            ends: [end(CLIENT, None), end(SERVER, Some(Arc::new(server)))],
            streams,
            stream: None,
            left_bytes: None,
            is_stopped: false,
            datagrams: 0,
            datagram_bytes: settings.packet_bytes as u64 - transport::HEADER_BYTES as u64,
            arriving: None,
            last_window: None,
            clock,
            client: Some(transport::client(shared)),
        }
    }

    /// Opens the connection.
    pub fn start(&mut self, now_ns: i64, path: &mut Path) -> Vec<Wish> {
        let config = self.client.take().expect("a flow that has not started");
        let opened = self.ends[CLIENT].endpoint.connect(self.clock.at(now_ns), config, address(SERVER), "clift");
        match opened {
            Ok(connection) => self.ends[CLIENT].connection = Some(connection),
            Err(error) => fail(&format!("flow {}: {error}", self.number)),
        }
        self.drive(CLIENT, now_ns, path)
    }

    /// Begins the second half of a transfer.
    pub fn resume(&mut self, now_ns: i64, path: &mut Path) -> Vec<Wish> {
        self.open_stream();
        self.drive(CLIENT, now_ns, path)
    }

    /// From now on nothing new is sent.
    pub fn stop(&mut self) {
        self.is_stopped = true;
    }

    /// An end's timer has gone off, unless it was set anew meanwhile.
    pub fn timeout(&mut self, end: usize, now_ns: i64, path: &mut Path) -> Vec<Wish> {
        let own = &mut self.ends[end];
        if !own.timer_ns.is_some_and(|time_ns| time_ns <= now_ns) {
            return Vec::new();
        }
        own.timer_ns = None;
        if let Some((_, connection)) = &mut own.connection {
            connection.handle_timeout(self.clock.at(now_ns));
        }
        self.drive(end, now_ns, path)
    }

    /// A datagram has arrived.
    pub fn receive(&mut self, datagram: Datagram, now_ns: i64, path: &mut Path) -> Vec<Wish> {
        let end = if datagram.direction == self.direction { SERVER } else { CLIENT };
        let now = self.clock.at(now_ns);
        let mut answer = Vec::new();
        let own = &mut self.ends[end];
        let bytes = BytesMut::from(Bytes::from(datagram.bytes));
        match own.endpoint.handle(now, address(1 - end), None, EcnCodepoint::from_bits(datagram.ecn), bytes, &mut answer) {
            Some(DatagramEvent::NewConnection(incoming)) => {
                answer.clear();
                match own.endpoint.accept(incoming, now, &mut answer, None) {
                    Ok(connection) => own.connection = Some(connection),
                    Err(error) => fail(&format!("flow {}: {}", self.number, error.cause)),
                }
            }
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut own.connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::Response(_)) => self.send(end, &answer, None, now_ns, path),
            None => {}
        }
        self.drive(end, now_ns, path)
    }

    /// Packets that the sender has declared lost, whose data it has sent again.
    pub fn lost_packets(&self) -> u64 {
        self.ends[CLIENT].connection.as_ref().map_or(0, |(_, connection)| connection.stats().path.lost_packets)
    }

    /// Lets an end do all that it wants to do now.
    fn drive(&mut self, end: usize, now_ns: i64, path: &mut Path) -> Vec<Wish> {
        let mut wishes = Vec::new();
        let mut is_busy = true;
        while is_busy {
            is_busy = self.pass_endpoint_events(end);
            while let Some(event) = self.ends[end].connection.as_mut().and_then(|(_, connection)| connection.poll()) {
                is_busy = true;
                self.note(end, event, now_ns, path, &mut wishes);
            }
            if end == CLIENT {
                is_busy |= self.write();
            }
            is_busy |= self.transmit(end, now_ns, path);
        }
        let clock = self.clock;
        let own = &mut self.ends[end];
        let timer = own.connection.as_mut().and_then(|(_, connection)| connection.poll_timeout());
        let timer_ns = timer.map(|instant| clock.ns_of(instant));
        if timer_ns != own.timer_ns {
            own.timer_ns = timer_ns;
            wishes.extend(timer_ns.map(|time_ns| Wish::Timer { end, time_ns }));
        }
        if end == CLIENT {
            self.watch(now_ns, path);
        }
        wishes
    }

    fn pass_endpoint_events(&mut self, end: usize) -> bool {
        let own = &mut self.ends[end];
        let Some((handle, connection)) = &mut own.connection else { return false };
        let mut is_busy = false;
        while let Some(event) = connection.poll_endpoint_events() {
            is_busy = true;
            if let Some(answer) = own.endpoint.handle_event(*handle, event) {
                connection.handle_event(answer);
            }
        }
        is_busy
    }

    fn note(&mut self, end: usize, event: Event, now_ns: i64, path: &mut Path, wishes: &mut Vec<Wish>) {
        match event {
            Event::Connected if end == CLIENT => self.open_stream(),
            Event::ConnectionLost { reason } => fail(&format!("flow {}: {reason}", self.number)),
            Event::Stream(StreamEvent::Finished { .. }) => {
                wishes.push(if self.streams.is_empty() { Wish::Done } else { Wish::Resume { time_ns: now_ns + self.pause_ns } });
            }
            Event::Stream(StreamEvent::Opened { dir }) => {
                let (_, connection) = self.ends[SERVER].connection.as_mut().expect("who opens a stream is connected");
                self.arriving = connection.streams().accept(dir).map(|id| (id, Arrived::default()));
                self.read(now_ns, path);
            }
            Event::Stream(StreamEvent::Readable { .. }) => self.read(now_ns, path),
            _ => {}
        }
    }

    /// Opens the stream of the next part of the data.
    fn open_stream(&mut self) {
        let Some((_, connection)) = &mut self.ends[CLIENT].connection else { return };
        if let Some(bytes) = self.streams.pop() {
            self.stream = connection.streams().open(Dir::Uni);
            self.left_bytes = bytes;
        }
    }

    /// Offers data until the send window is full.
    fn write(&mut self) -> bool {
        let (Some((_, connection)), Some(id)) = (&mut self.ends[CLIENT].connection, self.stream) else { return false };
        let mut is_busy = false;
        while !self.is_stopped && self.left_bytes != Some(0) {
            let most = self.left_bytes.map_or(CHUNK_BYTES, |left| left.min(CHUNK_BYTES as u64) as usize);
            let Ok(written) = connection.send_stream(id).write_chunks(&mut [Bytes::from_static(&ZEROS[..most])]) else {
                return is_busy;
            };
            is_busy = true;
            self.left_bytes = self.left_bytes.map(|left| left - written.bytes as u64);
            if self.left_bytes == Some(0) && connection.send_stream(id).finish().is_err() {
                fail(&format!("flow {}: the stream was stopped", self.number));
            }
        }
        is_busy
    }

    /// Takes all data that have arrived. Behind a gap they are taken too, as the library keeps 1,024 gaps at most; what
    /// is in order is handed to the application.
    fn read(&mut self, now_ns: i64, path: &mut Path) {
        let Some((_, connection)) = &mut self.ends[SERVER].connection else { return };
        let Some((id, arrived)) = &mut self.arriving else { return };
        let mut stream = connection.recv_stream(*id);
        let Ok(mut chunks) = stream.read(false) else { return };
        let mut handed_bytes = 0;
        while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
            handed_bytes += arrived.add(chunk.offset, chunk.bytes.len() as u64);
        }
        let _ = chunks.finalize(); // what it asks to send is polled afterwards
        if handed_bytes > 0 {
            path.hand_over(now_ns, self.number, handed_bytes);
        }
    }

    fn transmit(&mut self, end: usize, now_ns: i64, path: &mut Path) -> bool {
        let now = self.clock.at(now_ns);
        let mut is_busy = false;
        let mut buffer = Vec::new();
        loop {
            let Some((_, connection)) = &mut self.ends[end].connection else { return is_busy };
            buffer.clear();
            let Some(sent) = connection.poll_transmit(now, BATCH_DATAGRAMS, &mut buffer) else { return is_busy };
            is_busy = true;
            for bytes in buffer[..sent.size].chunks(sent.segment_size.unwrap_or(sent.size)) {
                self.send(end, bytes, sent.ecn, now_ns, path);
            }
        }
    }

    fn send(&mut self, end: usize, bytes: &[u8], ecn: Option<EcnCodepoint>, now_ns: i64, path: &mut Path) {
        let is_of_sender = end == CLIENT;
        self.datagrams += i64::from(is_of_sender);
        let datagram = Datagram {
            flow: self.number,
            direction: if is_of_sender { self.direction } else { 1 - self.direction },
            number: if is_of_sender { self.datagrams } else { 0 },
            ecn: ecn.filter(|_| self.is_ecn).map_or(0, |codepoint| codepoint as u8),
            bytes: bytes.to_vec(),
        };
        path.take(now_ns, datagram, transport::HEADER_BYTES);
    }

    /// Records the sender's window where it has changed.
    fn watch(&mut self, now_ns: i64, path: &mut Path) {
        let Some((_, connection)) = &self.ends[CLIENT].connection else { return };
        let metrics = connection.congestion_state().metrics();
        let window = Window {
            cwnd_packets: metrics.congestion_window / self.datagram_bytes,
            ssthresh_packets: metrics.ssthresh.map(|bytes| bytes / self.datagram_bytes),
            srtt_ns: if connection.is_handshaking() { 0 } else { connection.rtt().as_nanos() as i64 },
            pacing_bytes_per_s: metrics.pacing_rate.unwrap_or(0) / 8,
        };
        if self.last_window != Some(window) {
            self.last_window = Some(window);
            path.record_window(now_ns, self.number, window);
        }
    }
}

fn address(end: usize) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, end as u8 + 1], 443))
}
