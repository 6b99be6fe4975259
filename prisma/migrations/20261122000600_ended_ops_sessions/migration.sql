-- Sessions of the dashboard that were ended by signing out. A session proves itself by a MAC, so only those that ended
-- before their time are kept, and only until that time.
create table ended_ops_sessions (
  id text collate "C" primary key,
  ends_at timestamptz(3) not null
);
