"""One run of ns-2 over link traces: parameters in, records and figures of merit out."""
