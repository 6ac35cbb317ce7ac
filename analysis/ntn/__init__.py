"""5G over satellites (non-terrestrial networks): HARQ processes, repetition, RLC and a sliding window."""
