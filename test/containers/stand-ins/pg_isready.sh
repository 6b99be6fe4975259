#!/bin/bash
# The packages hold no pg_isready. The port is open as soon as the database of POSTGRES_DB exists.
exec 3<> /dev/tcp/127.0.0.1/5432
