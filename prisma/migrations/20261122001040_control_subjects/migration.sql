-- Whether the stream takes control messages, as ingest saw last: the dashboard names a stream that does not. Null until
-- ingest has looked.
alter table stream_head add column takes_controls boolean;
