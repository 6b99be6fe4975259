import type { Pool } from './create-database.js'

/** What may differ between two databases that saw the same messages in another order: facts of arrival. */
const EVENT_COLUMNS = `id, slot, signature, event_index, name, occurred_at, fingerprint, gateway, payment_policy,
  user_payment, authority, recipient, tracking_id, amount, paid_at, record_id, payer, token_mint, transaction_index,
  commitment, awaits_policy, retracted_at is not null as retracted`

/** Rows that a rebuild replaced, and the number of the others, say nothing. */
const figures = (table: string, ...key: string[]): string => `
  select to_jsonb(f) - 'version' as figure from ${table} f
   where version = (select figures_version from stream_head) order by ${key.join()}`

const QUERIES = {
  events: `select ${EVENT_COLUMNS} from events order by id`,
  trackings: 'select * from trackings order by tracking_id',
  gateways: 'select * from gateways order by address',
  user_payments: 'select * from user_payments order by address',
  // The times of the next checks are moved by tasks.
  policies: `select to_jsonb(p) - 'next_check_at' - 'next_funds_check_at' as policy from policies p order by address`,
  event_counts: figures('event_counts', 'gateway', 'name', 'span', 'start'),
  payment_token_stats: figures('payment_token_stats', 'gateway', 'span', 'start', 'token_mint'),
  dead_letters: `select code, subject, encode(bytes, 'hex') as bytes, size from dead_letters
    where replayed_at is null order by bytes, code`,
  retractions: 'select signature, slot from retractions order by signature, slot',
  gaps: `select signature, from_slot, to_slot, reason, encode(bytes, 'hex') as bytes, closed_at is not null as closed
    from gaps order by signature, from_slot, to_slot`,
  finality: 'select finalized_slot from stream_head',
}

export type ProjectionDump = Record<keyof typeof QUERIES, string[]>

/**
 * Every row that must not depend on the order, repetition or batching of messages, as text, table by table.
 */
export async function dumpProjections(pool: Pool): Promise<ProjectionDump> {
  const dump: Partial<ProjectionDump> = {}
  for (const [table, query] of Object.entries(QUERIES)) {
    const { rows } = await pool.query<{ row: string }>(`select row_to_json(t)::text as row from (${query}) t`)
    dump[table as keyof typeof QUERIES] = rows.map(({ row }) => row)
  }
  return dump as ProjectionDump
}

/** Finds faults of `seq` and `position`: holes, duplicates, a head that is not the last, a payment that the log lacks or has elsewhere.
 * An empty list means none. */
export async function findArrivalProblems(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ problem: string }>(`
    select 'tracking ID ' || tracking_id || ': ' || count(*) || ' payments, last seq ' || max(seq) as problem
      from events where name in ('PaymentRecord', 'ComposableExecuted') and tracking_id is not null
     group by tracking_id
    having count(*) <> max(seq) or min(seq) <> 1 or count(distinct seq) <> count(*)
        or max(seq) <> (select head from trackings t where t.tracking_id = events.tracking_id)
    union all
    select 'positions: ' || count(*) || ' events, last ' || max(position) || ', head ' || (select position from stream_head)
      from events
    having count(*) <> coalesce(max(position), 0) or coalesce(max(position), 0) <> (select position from stream_head)
    union all
    select 'told of payment ' || coalesce(e.id, m.event_id) || ': ' || coalesce(m.sequence::text, 'never')
      from (select id, gateway, position, retracted_at from events where amount is not null and not awaits_policy) e
      full join (select event_id, gateway, position, sequence from messages where type = 'payment.executed' and position is not null) m
        on m.event_id = e.id and m.gateway = e.gateway
     where e.id is null or m.event_id is null and e.retracted_at is null or m.sequence = 0 and m.position <> e.position
        or m.sequence > 0 and m.position < e.position`)
  return rows.map(({ problem }) => problem)
}
