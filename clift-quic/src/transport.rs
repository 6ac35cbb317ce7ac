//! What both ends of a connection are told: TLS, congestion control, windows.
use std::sync::Arc;

use quinn_proto::congestion::{BbrConfig, ControllerFactory, CubicConfig, NewRenoConfig};
use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn_proto::{ClientConfig, EndpointConfig, ServerConfig, TransportConfig, VarInt};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{ring, CryptoProvider};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::version::TLS13;
use rustls::{DigitallySignedStruct, Error, SignatureScheme};

use crate::link::{fail, FlowSettings, Settings};

/// Signatures of Ed25519 have one length, so that each handshake has the same sizes. Made by `openssl genpkey -algorithm
/// ed25519` and `openssl req -x509`; it protects nothing.
const CERTIFICATE: &[u8] = include_bytes!("certificate.der");
const KEY: &[u8] = include_bytes!("key.der");

/// IP and UDP headers of a datagram.
pub const HEADER_BYTES: usize = 28;

fn control_of(name: &str) -> Arc<dyn ControllerFactory + Send + Sync> {
    match name {
        "cubic" => Arc::new(CubicConfig::default()),
        "newreno" => Arc::new(NewRenoConfig::default()),
        "bbr" => Arc::new(BbrConfig::default()),
        _ => fail(&format!("QUIC has no congestion control {name}; it has bbr, cubic, newreno")),
    }
}

/// The settings that both ends share.
pub fn transport(settings: &Settings, own: &FlowSettings) -> Arc<TransportConfig> {
    let datagram_bytes = settings.packet_bytes as u64 - HEADER_BYTES as u64;
    let buffer = VarInt::from_u64(own.receive_buffer_bytes as u64).expect("a buffer within the settings' bound");
    let window = settings.window_packets as u64 * datagram_bytes;
    let mut config = TransportConfig::default();
    config
        .congestion_controller_factory(control_of(&own.control))
        .stream_receive_window(buffer)
        .receive_window(buffer)
        .send_window(window)
        .initial_mtu(datagram_bytes as u16)
        .mtu_discovery_config(None)
        .max_idle_timeout(None);
    Arc::new(config)
}

/// An endpoint's own settings; its random numbers follow from the seed.
pub fn endpoint(settings: &Settings, seed: u64) -> Arc<EndpointConfig> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let mut config = EndpointConfig::default();
    config.rng_seed(Some(bytes));
    let datagram_bytes = settings.packet_bytes as u16 - HEADER_BYTES as u16;
    config.max_udp_payload_size(datagram_bytes).expect("a size within the settings' bounds");
    Arc::new(config)
}

pub fn server(transport: Arc<TransportConfig>) -> ServerConfig {
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(KEY));
    let tls = rustls::ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&TLS13])
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(vec![CertificateDer::from(CERTIFICATE)], key))
        .expect("the certificate of this program");
    let crypto = QuicServerConfig::try_from(tls).expect("TLS 1.3");
    let mut config = ServerConfig::with_crypto(Arc::new(crypto));
    config.transport_config(transport);
    config
}

pub fn client(transport: Arc<TransportConfig>) -> ClientConfig {
    let tls = rustls::ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&TLS13])
        .expect("TLS 1.3")
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anyone(provider())))
        .with_no_client_auth();
    let mut config = ClientConfig::new(Arc::new(QuicClientConfig::try_from(tls).expect("TLS 1.3")));
    config.transport_config(transport);
    config
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

/// Trusts every server: both ends are this program.
#[derive(Debug)]
struct Anyone(Arc<CryptoProvider>);

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer,
        _intermediates: &[CertificateDer],
        _name: &ServerName,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
