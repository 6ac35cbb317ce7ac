"""Link-layer schemes: their names, their parameters, and their conversion of slots into rows."""
