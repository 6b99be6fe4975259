// When policies became overdue, in a span of time: no event says it, so it follows from their payments and changes.
import { dueAfter, lifecycleMessageId, overdueSince, type UnpaidChange } from '@payment-tracking/domain'
import { asTimestamp, bigints, sql, type Store } from '../../../core/database/sql.js'
import { OF_POLICY } from '../../../core/tables/payment-names.js'
import { readStored, STORED_COLUMNS, type StoredRow } from '../../../core/tables/stored-events.js'
import { entryOf, type TimelineEntry } from './entries.js'
import type { PolicyLife } from './read-lives.js'

type Reader = Pick<Store, 'database'>

/** From the first millisecond up to but not including the last. */
export interface SpanMs {
  fromMs: number
  toMs: number
}

/** A creation or a payment of a policy. */
interface Point {
  atMs: number
  life: PolicyLife
  /** null for the creation */
  paidAt: bigint | null
}

/** A time without a payment, in which the policy may have become overdue. */
interface Unpaid {
  policy: string
  since: Point
  dueAt: bigint
  /** of the next payment or creation; infinite for none */
  untilMs: number
}

interface AroundRow {
  policy: string
  before: bigint | null
  after: bigint | null
  status: string | null
}

/** The payments of each policy next to a span, and the policy's status now. Relies on events_policy_newest. */
const readAround = ({ database }: Reader, policies: readonly string[], { fromMs, toMs }: SpanMs) =>
  database.read<AroundRow>(sql`
    select k.policy, b.paid_at as before, a.paid_at as after, p.status
      from unnest(${[...policies]}::text[]) as k (policy)
      left join policies p on p.address = k.policy
      left join lateral (
        select e.paid_at from events e
         where e.payment_policy = k.policy and ${OF_POLICY} and e.retracted_at is null
           and e.occurred_at < ${asTimestamp(fromMs)}
         order by e.occurred_at desc, e.slot desc, e.event_index desc, e.id desc limit 1) b on true
      left join lateral (
        select e.paid_at from events e
         where e.payment_policy = k.policy and ${OF_POLICY} and e.retracted_at is null
           and e.occurred_at >= ${asTimestamp(toMs)}
         order by e.occurred_at, e.slot, e.event_index, e.id limit 1) a on true`)

const CHANGES = [
  'PaymentPolicyStatusChanged',
  'PaymentPolicyDeleted',
  'ComposablePolicyStatusChanged',
  'ComposablePolicyDeleted',
]
/** Changes that are looked at in one time without a payment. */
const MOST_CHANGES = 50

/** What happened in each of these times. Relies on events_policy_rare. */
async function readUnpaidChanges(
  { database }: Reader,
  unpaid: readonly Unpaid[],
  programId: string,
): Promise<Map<number, UnpaidChange[]>> {
  const found = new Map<number, UnpaidChange[]>()
  if (unpaid.length === 0) return found
  const ms = (times: readonly number[]) => bigints(times.map(time => Math.min(time, LAST_MS)))
  const rows = await database.read<StoredRow & { nth: number }>(sql`
    select ${STORED_COLUMNS}, k.nth::int as nth
      from unnest(${unpaid.map(({ policy }) => policy)}::text[], ${ms(unpaid.map(({ since }) => since.atMs))},
                  ${ms(unpaid.map(({ untilMs }) => untilMs))}) with ordinality as k (policy, since, until, nth)
     cross join unnest(${CHANGES}::text[]) as n (name)
     cross join lateral (
       select * from events e
        where e.payment_policy = k.policy and e.name = n.name and e.name <> 'PaymentRecord' and e.retracted_at is null
          and e.occurred_at > to_timestamp(k.since / 1000.0) and e.occurred_at < to_timestamp(k.until / 1000.0)
        order by e.occurred_at, e.slot, e.event_index, e.id limit ${MOST_CHANGES}) e
     order by e.occurred_at, e.slot, e.event_index, e.id`)
  for (const row of rows) {
    const { effect, occurredAt } = readStored(row, programId)
    const became =
      effect.kind === 'policy-deleted'
        ? 'deleted'
        : effect.kind === 'policy-status-changed' && effect.newStatus === 'Active'
          ? 'active'
          : 'inactive'
    const nth = row.nth - 1
    const changes = found.get(nth) ?? []
    found.set(nth, changes)
    changes.push({ atMs: occurredAt.getTime(), became })
  }
  return found
}
const LAST_MS = Date.parse('9999-12-31T23:59:59Z')

const secondOf = (ms: number): number => Math.floor(ms / 1_000) * 1_000

/** The times without a payment of a policy that reach into the span and past a due date. */
function unpaidOf(
  { policy, before, after, status }: AroundRow,
  lives: readonly PolicyLife[],
  paid: readonly bigint[],
  { toMs }: SpanMs,
  graceSeconds: number,
): Unpaid[] {
  // A payment states a second: one in the second of the creation comes after it.
  const created: Point[] = lives.map(life => ({ atMs: secondOf(life.createdMs), life, paidAt: null }))
  const payments = [...new Set([before, ...paid, after])].flatMap((paidAt): Point[] => {
    if (paidAt === null) return []
    const atMs = Number(paidAt) * 1_000
    const life = lives.findLast(({ createdMs }) => secondOf(createdMs) <= atMs) ?? lives[0]!
    return [{ atMs, life, paidAt }]
  })
  const points = [...created, ...payments].sort(
    (a, b) => a.atMs - b.atMs || Number(a.paidAt !== null) - Number(b.paidAt !== null),
  )
  return points.flatMap((since, nth) => {
    const { life, paidAt, atMs } = since
    const next = points[nth + 1]
    const dueAt = dueAfter(life.terms, paidAt, BigInt(Math.floor(life.createdMs / 1_000)))
    if (atMs >= toMs || dueAt === null || Number(dueAt) + graceSeconds >= toMs / 1_000) return []
    if (paidAt !== null && isOver(life, next, status)) return []
    return [{ policy, since, dueAt, untilMs: next?.atMs ?? Infinity }]
  })
}

/** Whether the payment before was the last that is due: known of the newest life, and else assumed where there is a last. */
function isOver({ terms }: PolicyLife, next: Point | undefined, status: string | null): boolean {
  if (next === undefined) return status === 'completed'
  return next.paidAt === null && terms.kind === 'subscription' && terms.maxRenewals !== null
}

/**
 * @param policies those that can be due
 * @param paid the payments of the span
 */
export async function readOverdue(
  store: Reader,
  policies: ReadonlyMap<string, readonly PolicyLife[]>,
  paid: readonly TimelineEntry[],
  span: SpanMs,
  { programId, graceSeconds }: { programId: string; graceSeconds: number },
): Promise<TimelineEntry[]> {
  if (policies.size === 0) return []
  const paidBy = new Map<string, bigint[]>()
  for (const { policyAddress, atMs } of paid) {
    if (policyAddress === null) continue
    const times = paidBy.get(policyAddress) ?? []
    paidBy.set(policyAddress, times)
    times.push(BigInt(atMs / 1_000))
  }
  const around = await readAround(store, [...policies.keys()], span)
  const unpaid = around.flatMap(row =>
    unpaidOf(row, policies.get(row.policy)!, paidBy.get(row.policy) ?? [], span, graceSeconds),
  )
  const changes = await readUnpaidChanges(store, unpaid, programId)
  return unpaid.flatMap(({ policy, since, dueAt, untilMs }, nth): TimelineEntry[] => {
    const fromMs = since.paidAt === null ? since.life.createdMs : since.atMs
    const atMs = overdueSince({ dueAt, fromMs }, graceSeconds, changes.get(nth) ?? [])
    if (atMs === null || atMs >= untilMs || atMs < span.fromMs || atMs >= span.toMs) return []
    const { start, trackingId, tokenMint } = since.life
    const lifecycle = { type: 'subscription.overdue' as const, key: String(dueAt) }
    const messageId = lifecycleMessageId({ address: policy, incarnationStart: start }, lifecycle)
    const known = { policyAddress: policy, trackingId, tokenMint, dueAt, messageId }
    return [entryOf({ type: 'overdue', atMs, id: `${policy}-${dueAt}`, ...known })]
  })
}
