-- When a message began to wait: an alert finds messages whose facts never come. Rows that exist get the time of this
-- migration. Rows that the last release still writes get the time of their transaction.
alter table deliveries_awaiting_facts add column since timestamptz(3) not null default now();
