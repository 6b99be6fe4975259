-- safe: statements of the last release say of a name whether it is that of payments, or bound the time
drop index events_name_newest;
-- safe: events_signature_hash answers the same statements
drop index events_signature;

-- A payment changes no indexed column of its policy or tracking ID: with room on the page, no index is written.
alter table policies set (fillfactor = 75);
alter table trackings set (fillfactor = 75);
