-- Direct transfers were stored as if they were records of one policy, the default key: a second one of the same
-- transaction was taken for the first. Their id follows from their place now, as that of any other event. The digest is
-- that of packages/domain/src/identity.ts; ingest knows both ids, for a publisher that sends no index and for rows that
-- the last release still writes.
create table renamed_transfers as
  select id as old_id,
         substr(encode(sha256(convert_to(
           'event-by-place' || E'\n' || signature || E'\n' || event_index || E'\n' || 'PaymentRecord', 'UTF8')), 'hex'), 1, 32)::uuid as new_id
    from (
      select distinct on (signature, event_index) id, signature, event_index
        from events
       where payment_policy = '11111111111111111111111111111111' and name = 'PaymentRecord'
       order by signature, event_index, id
    ) transfers;

-- safe: locks rows of transfers alone, which services read and never write again
update events e set id = r.new_id from renamed_transfers r where e.id = r.old_id;
-- safe: the id serves to find a payment's deliveries; a worker that writes a result waits for this one row
update deliveries d set event_id = r.new_id from renamed_transfers r where d.event_id = r.old_id;
-- safe: made by this file
drop table renamed_transfers;
-- safe: the default key is no policy; nothing is served of this row, and ingest of the last release makes it again
delete from policies where address = '11111111111111111111111111111111';
