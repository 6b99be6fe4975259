-- A retraction takes in what was a contradiction until then.
create index concurrently dead_letters_waiting on dead_letters (signature) where replayed_at is null and signature is not null;
