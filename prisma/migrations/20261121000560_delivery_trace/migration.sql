-- The trace a payment came with, for its webhook requests. Written only where tracing is configured; nullable and
-- without a default, so nothing is rewritten and services that do not know it go on.
alter table deliveries add column trace_parent text;
