import type { Pool } from '@payment-tracking/testkit'

/** Changes a database to what the first release would have written: composable events without columns, other rules of status. */
export async function imitateFirstRelease(pool: Pool): Promise<void> {
  await pool.query(`
    update events set commitment = null;
    update events set gateway = null, payment_policy = null, user_payment = null, recipient = null, tracking_id = null,
           seq = null, amount = null, paid_at = null, record_id = null, awaits_policy = false
     where name like 'Composable%';
    update events set seq = null where seq is not null;
    update trackings t set head = (select count(*) from events e where e.tracking_id = t.tracking_id and e.amount is not null);
    delete from trackings where head = 0;
    delete from policies where family = 'composable';
    update policies set status = 'active', period_start = null, period_total = null;
    update payment_token_stats set min = null, max = null;
    update payment_stats s set count = count + 1;
    delete from deliveries;
    update ingest_batches set rules = 1;
    delete from projection_upgrades;
    update stream_head set projection_version = 1, reingest_from = null`)
  await pool.query(`
    update events e set seq = n.seq from (
      select id, row_number() over (partition by tracking_id order by position) as seq
        from events where name = 'PaymentRecord' and tracking_id is not null) n where n.id = e.id`)
}
