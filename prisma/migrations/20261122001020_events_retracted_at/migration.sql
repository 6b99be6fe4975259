-- Pods ask what was retracted of late, in case Redis lost what they were told. Hardly an event is retracted.
create index concurrently events_retracted_at on events (retracted_at) where retracted_at is not null;
