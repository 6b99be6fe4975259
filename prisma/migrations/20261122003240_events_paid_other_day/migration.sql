-- Payments whose own time is on another day than their block: figures by day count them apart. Nearly empty.
create index concurrently events_paid_other_day on events (gateway)
  where amount is not null
    and floor(paid_at::float8 / 86400) <> floor(date_part('epoch', occurred_at at time zone 'UTC') / 86400);
