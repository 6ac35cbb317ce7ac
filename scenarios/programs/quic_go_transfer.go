// A transfer by QUIC: `quic_go_transfer server BYTES`, and `quic_go_transfer client`, which prints what it took as JSON.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/quic-go/quic-go"
)

// Flow control of a stream and a connection; quic-go's own begins with 512 KiB.
const windowBytes = 32 << 20

var (
	settings = &quic.Config{
		InitialStreamReceiveWindow: windowBytes, MaxStreamReceiveWindow: windowBytes,
		InitialConnectionReceiveWindow: windowBytes, MaxConnectionReceiveWindow: windowBytes,
	}
	protocols = []string{"transfer"}
)

func serve(bytes int) error {
	pair, err := tls.LoadX509KeyPair("cert.pem", "key.pem")
	if err != nil {
		return err
	}
	own := &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: protocols}
	listener, err := quic.ListenAddr("0.0.0.0:443", own, settings)
	if err != nil {
		return err
	}
	for {
		connection, err := listener.Accept(context.Background())
		if err != nil {
			return err
		}
		stream, err := connection.AcceptStream(context.Background())
		if err != nil {
			return err
		}
		if _, err := stream.Write(make([]byte, bytes)); err != nil {
			return err
		}
		if err := stream.Close(); err != nil {
			return err
		}
	}
}

func fetch() error {
	certificate, err := os.ReadFile("cert.pem")
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(certificate)
	begin := time.Now()
	own := &tls.Config{RootCAs: roots, NextProtos: protocols}
	connection, err := quic.DialAddr(context.Background(), "server:443", own, settings)
	if err != nil {
		return err
	}
	stream, err := connection.OpenStreamSync(context.Background())
	if err != nil {
		return err
	}
	if err := stream.Close(); err != nil {
		return err
	}
	bytes, err := io.Copy(io.Discard, stream)
	if err != nil {
		return err
	}
	fmt.Printf("{\"bytes\": %d, \"time_total\": %.6f}\n", bytes, time.Since(begin).Seconds())
	return connection.CloseWithError(0, "")
}

func main() {
	var err error
	if len(os.Args) == 3 {
		bytes, _ := strconv.Atoi(os.Args[2])
		err = serve(bytes)
	} else {
		err = fetch()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
