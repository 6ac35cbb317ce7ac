//! A transfer by QUIC: `quinn_transfer server BYTES CONTROL`, and `quinn_transfer client`, which prints what it took as JSON.
use std::error::Error;
use std::fs::read;
use std::net::ToSocketAddrs;
use std::sync::Arc;
use std::time::Instant;

use quinn::congestion::{BbrConfig, ControllerFactory, CubicConfig, NewRenoConfig};
use quinn::{ClientConfig, Endpoint, ServerConfig, TransportConfig, VarInt};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::RootCertStore;

/// Flow control of a stream and a connection; quinn's own of 1.25 MB would bound the transfer.
const WINDOW_BYTES: u32 = 32 << 20;

fn transport(control: &str) -> Arc<TransportConfig> {
    let factory: Arc<dyn ControllerFactory + Send + Sync> = match control {
        "newreno" => Arc::new(NewRenoConfig::default()),
        "bbr" => Arc::new(BbrConfig::default()),
        _ => Arc::new(CubicConfig::default()),
    };
    let mut config = TransportConfig::default();
    config
        .congestion_controller_factory(factory)
        .stream_receive_window(VarInt::from_u32(WINDOW_BYTES))
        .receive_window(VarInt::from_u32(WINDOW_BYTES))
        .send_window(WINDOW_BYTES.into());
    Arc::new(config)
}

fn certificate() -> Result<CertificateDer<'static>, Box<dyn Error>> {
    Ok(CertificateDer::from_pem_slice(&read("cert.pem")?)?)
}

async fn serve(bytes: usize, control: &str) -> Result<(), Box<dyn Error>> {
    let key = PrivateKeyDer::from_pem_slice(&read("key.pem")?)?;
    let mut config = ServerConfig::with_single_cert(vec![certificate()?], key)?;
    config.transport_config(transport(control));
    let endpoint = Endpoint::server(config, "0.0.0.0:443".parse()?)?;
    while let Some(incoming) = endpoint.accept().await {
        let connection = incoming.await?;
        let (mut answer, mut request) = connection.accept_bi().await?;
        request.read_to_end(100).await?;
        answer.write_all(&vec![0; bytes]).await?;
        answer.finish()?;
        connection.closed().await;
    }
    Ok(())
}

async fn fetch() -> Result<(), Box<dyn Error>> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate()?)?;
    let mut config = ClientConfig::with_root_certificates(Arc::new(roots))?;
    config.transport_config(transport("cubic"));
    let server = "server:443".to_socket_addrs()?.find(|address| address.is_ipv4()).ok_or("no address")?;
    let endpoint = Endpoint::client("0.0.0.0:0".parse()?)?;
    let begin = Instant::now();
    let connection = endpoint.connect_with(config, server, "server")?.await?;
    let (mut request, mut answer) = connection.open_bi().await?;
    request.finish()?;
    let bytes = answer.read_to_end(usize::MAX).await?.len();
    println!("{{\"bytes\": {bytes}, \"time_total\": {:.6}}}", begin.elapsed().as_secs_f64());
    connection.close(0u32.into(), b"");
    endpoint.wait_idle().await;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().collect::<Vec<_>>().as_slice() {
        [_, role, bytes, control] if role == "server" => serve(bytes.parse()?, control).await,
        _ => fetch().await,
    }
}
