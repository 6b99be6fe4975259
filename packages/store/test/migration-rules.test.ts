// Expand, then contract: the previous release runs on the new schema until the last of its processes has ended.
import { readMigrations } from '@payment-tracking/store/core'
import t from 'tap'
import { findUnsafeStatements } from './migration-rules.js'

t.test('each migration lets the previous release work, or states why it is safe', async t => {
  for (const { name, sql } of await readMigrations())
    t.strictSame(findUnsafeStatements(sql), [], `${name}: see docs/upgrades.md`)
})

const SAFE = [
  'create table notes (id bigint primary key, text text not null); create unique index notes_text on notes (text)',
  'create table marks (id int); insert into marks values (1)',
  'alter table events add column note text',
  'alter table events add note text, add column size numeric(20, 0) not null default 0',
  "alter table events add column seen_at timestamptz default now(), add column kind text not null default 'it''s; drop'",
  'alter table events alter column note drop not null, alter note set default 1',
  'alter table events set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01)',
  '-- Newest first.\ncreate index concurrently events_note on events (note) where note is not null',
  "comment on table events is 'drop table events;'",
  '/* ; */ alter table events add column note text -- drop table events;',
  '-- safe: nothing has read it since 1.4\nalter table events drop column note',
]
const UNSAFE = [
  'drop table events',
  'alter table events drop column data',
  'alter table events rename column data to body',
  'alter table events rename to happenings',
  'alter table events add column note text not null',
  'alter table events add column note text, add column size int not null',
  'alter table events add column seen_at timestamptz not null default clock_timestamp()',
  'alter table events add column id2 uuid default gen_random_uuid()',
  'alter table events add column other bigint references events (position)',
  'alter table events add constraint sane check (slot > 0)',
  'alter table events alter column slot type int',
  'alter table events alter column recipient set not null',
  'alter table events alter column due_at drop default',
  'create index events_note on events (note)',
  'create unique index concurrently events_note on events (note)',
  'create index concurrently a on events (note); create index concurrently b on events (name)',
  '-- safe: not this\ncreate index concurrently a on events (note); select 1',
  'drop index events_slot',
  'update events set note = null',
  'create trigger watch after insert on events for each row execute function f()',
  '-- safe:\ndrop table events',
  '-- safe: this one alone\ndrop table events; drop table policies',
]

t.test('safe statements pass, unsafe statements are found', async t => {
  for (const sql of SAFE) t.strictSame(findUnsafeStatements(sql), [], sql)
  for (const sql of UNSAFE) t.not(findUnsafeStatements(sql).length, 0, sql)
})
