-- A signature is only ever asked for whole. Its hash takes 20 bytes where the text takes 110, in pages that are written
-- all over the index and so must be in memory.
create index concurrently events_signature_hash on events using hash (signature);
