# CLIFT defaults
