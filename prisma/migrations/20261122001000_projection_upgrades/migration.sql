-- How far ingest has made the projections of an earlier release anew by the rules of this one: a process that ends in
-- between leaves the place to the next.
create table projection_upgrades (
  version integer primary key,
  -- events after the first position and up to the second are looked at in this pass
  since_position bigint not null default 0,
  up_to_position bigint not null,
  step text not null,
  -- the key of the last row that the step has done
  after text collate "C" not null default '',
  handled bigint not null default 0,
  started_at timestamptz(3) not null default clock_timestamp(),
  finished_at timestamptz(3)
);

-- By which rules a batch was projected: a previous release that still runs writes batches of its own.
alter table ingest_batches add column rules smallint not null default 1;

-- Events without commitment are an earlier release's; this says so of those that a copy of theirs called final since.
alter table events add column of_earlier_release boolean;
