"""The satellite channel beside its theory, and the code that it assumes beside a real one."""
