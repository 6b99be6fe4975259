-- Deleted policies of a gateway, which its own lists show. Those that exist have policies_gateway_live.
create index concurrently policies_gateway_gone on policies (gateway, created_at, address) where not live;
