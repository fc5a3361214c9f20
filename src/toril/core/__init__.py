"""The pure foundation: no sockets, no clocks, no event loops; values in, values out."""
