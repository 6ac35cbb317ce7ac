# A key and its certificate for the host `server`, made in the run: valid by its clock, the same with each seed, and no
# authority's, which rustls refuses.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 9 -subj /CN=server \
    -addext subjectAltName=DNS:server -addext basicConstraints=critical,CA:FALSE \
    -keyout key.pem -out cert.pem 2> certificate.log || { cat certificate.log >&2; exit 1; }
