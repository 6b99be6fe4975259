// The entries of a time line that come from events: changes of policies, payments, and what was retracted.
import { asTimestamp, sql, type Sql, type Store } from '../../../core/database/sql.js'
import { DIRECT_TRANSFER_POLICY } from '@payment-tracking/domain'
import { POLICY_EVENTS } from '../../../core/tables/payment-names.js'
import { readStored, STORED_COLUMNS, type StoredRow } from '../../../core/tables/stored-events.js'
import { isPaid } from '../payers.js'
import { afterKey, entryOf, RANK, type EntryKey, type EntryType, type TimelineEntry } from './entries.js'
import type { PolicyLife } from './read-lives.js'

/** A page of the entries of a source: `most` of those after the key, newest first. */
export interface SourcePage {
  gateway: string
  wallet: string
  programId: string
  key: EntryKey | null
  most: number
}

type Reader = Pick<Store, 'database'>

type Payment = 'id' | 'signature' | 'policyAddress' | 'trackingId' | 'tokenMint' | 'amount'
type PaymentRow = Pick<TimelineEntry, Payment> & { at: bigint | Date }

const PAYMENT_COLUMNS = sql`e.id, e.signature, e.tracking_id as "trackingId", e.token_mint as "tokenMint",
  nullif(e.payment_policy, ${DIRECT_TRANSFER_POLICY}) as "policyAddress", e.amount`

const toEntry = (type: EntryType, { at, ...row }: PaymentRow): TimelineEntry =>
  entryOf({
    ...row,
    type,
    atMs: at instanceof Date ? at.getTime() : Number(at) * 1_000,
    eventId: row.id,
  })

const seconds = (ms: number, most: boolean): Sql =>
  sql`${BigInt(most ? Math.floor(ms / 1_000) : Math.ceil(ms / 1_000))}::bigint`

/** By the time that the payment states. Relies on events_gateway_payers. */
export async function readPaid(
  { database }: Reader,
  { gateway, wallet, key, most }: SourcePage,
): Promise<TimelineEntry[]> {
  const rows = await database.read<PaymentRow>(sql`
    select ${PAYMENT_COLUMNS}, e.paid_at as at
      from events e
     where ${isPaid(gateway)} and e.payer = ${wallet} ${afterKey(key, RANK.payment, sql`e.paid_at`, seconds)}
     order by e.paid_at desc, e.id desc limit ${most}`)
  return rows.map(row => toEntry('paid', row))
}

/** Retracted payments, by the time of the retraction. Relies on events_retracted_payers. */
export async function readRetractedPayments(
  { database }: Reader,
  { gateway, wallet, key, most }: SourcePage,
): Promise<TimelineEntry[]> {
  const rows = await database.read<PaymentRow>(sql`
    select ${PAYMENT_COLUMNS}, e.retracted_at as at
      from events e
     where e.gateway = ${gateway} and e.payer = ${wallet} and e.retracted_at is not null and e.amount is not null
       ${afterKey(key, RANK.retraction, sql`e.retracted_at`, asTimestamp)}
     order by e.retracted_at desc, e.id desc limit ${most}`)
  return rows.map(row => toEntry('retracted', row))
}

const BY_TIME = sql`e.occurred_at desc, e.slot desc, e.event_index desc, e.id desc`

/** The last Created before an event `e` of a policy, which says whose the policy was then. Relies on events_policy_rare. */
const OWNER_THEN = sql`
  (select c.gateway from events c
    where c.payment_policy = e.payment_policy and c.name <> 'PaymentRecord' and c.retracted_at is null
      and c.name = case when e.name like 'Composable%' then 'ComposablePolicyCreated' else 'PaymentPolicyCreated' end
      and (c.occurred_at, c.slot, c.event_index, c.id) <= (e.occurred_at, e.slot, e.event_index, e.id)
    order by c.occurred_at desc, c.slot desc, c.event_index desc, c.id desc limit 1)`

const OF_KIND: Readonly<Record<string, EntryType>> = {
  'policy-created': 'created',
  'policy-deleted': 'deleted',
}
const OF_STATUS: Readonly<Record<string, EntryType>> = {
  Active: 'resumed',
  Paused: 'paused',
  Completed: 'completed',
}

/** What became of policies while they were this gateway's. Relies on events_policy_rare. */
export async function readChanges(
  { database }: Reader,
  policies: ReadonlyMap<string, readonly PolicyLife[]>,
  { gateway, programId, key, most }: SourcePage,
): Promise<TimelineEntry[]> {
  const rows = await database.read<StoredRow & { policy: string }>(sql`
    select ${STORED_COLUMNS}, e.payment_policy as policy
      from unnest(${[...policies.keys()]}::text[]) as k (policy)
     cross join unnest(${POLICY_EVENTS}::text[]) as n (name)
     cross join lateral (
       select * from events e
        where e.payment_policy = k.policy and e.name = n.name and e.name <> 'PaymentRecord' and e.retracted_at is null
          ${afterKey(key, RANK.change, sql`e.occurred_at`, asTimestamp)}
        order by ${BY_TIME} limit ${most}) e
     where ${OWNER_THEN} = ${gateway}
     order by e.occurred_at desc, e.id desc limit ${most}`)
  return rows.map(row => {
    const { effect, occurredAt } = readStored(row, programId)
    const lives = policies.get(row.policy)!
    const life = lives.findLast(({ createdMs }) => createdMs <= occurredAt.getTime()) ?? lives[0]!
    const became = effect.kind === 'policy-status-changed' ? OF_STATUS[effect.newStatus] : undefined
    const type = OF_KIND[effect.kind] ?? became ?? 'status_changed'
    const { id, signature, policy: policyAddress } = row
    const { trackingId, tokenMint } = life
    const atMs = occurredAt.getTime()
    return entryOf({ type, atMs, id, eventId: id, signature, policyAddress, trackingId, tokenMint })
  })
}
