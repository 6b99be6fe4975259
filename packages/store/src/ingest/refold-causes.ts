// Finds what a batch must fold again, and why.
import {
  DIRECT_TRANSFER_POLICY,
  isOfIncarnation,
  orderOf,
  type ChainEvent,
  type ChainOrder,
} from '@payment-tracking/domain'
import { bigints, empty, sql, type Sql, type Tx } from '../database/sql.js'
import { OF_POLICY } from '../rows/payment-names.js'
import { policyOf } from './addresses.js'
import type { Folded } from './fold.js'
import type { Correction } from './identities.js'
import type { Known } from './known.js'
import type { RefoldCause } from './refold.js'
import type { RetractedEvent } from './retractions.js'
import { readStored, STORED_COLUMNS, type StoredRow } from '../rows/stored-events.js'
import { policiesFor } from './work.js'

/** A stored event that stands somewhere else now. */
export interface MovedEvent {
  event: ChainEvent
  /** the order before */
  from: ChainOrder
  retracted: boolean
}

/** The events that copies moved. The new places are written already. */
export async function readMoved(
  tx: Tx,
  corrections: readonly Correction[],
  programId: string,
): Promise<MovedEvent[]> {
  const moved = new Map(
    corrections.flatMap(({ id, movedFrom }) => (movedFrom === null ? [] : [[id, movedFrom] as const])),
  )
  if (moved.size === 0) return []
  const rows = await tx.$queryRaw<(StoredRow & { retracted: boolean })[]>`
    select ${STORED_COLUMNS}, e.retracted_at is not null as retracted from events e
     where e.id = any(${[...moved.keys()]}::uuid[])`
  return rows.map(row => {
    const event = readStored(row, programId)
    const from = orderOf({ slot: event.slot, ...moved.get(row.id)! }, row.id)
    return { event, from, retracted: row.retracted }
  })
}

/** The policies of events that left their place. They are folded again whatever else the batch holds. */
export const policiesOf = (
  retracted: readonly RetractedEvent[],
  moved: readonly MovedEvent[],
): Set<string> => {
  const policies = [
    ...retracted.map(({ paymentPolicy }) => paymentPolicy),
    ...moved.map(({ event, retracted: isRetracted }) => (isRetracted ? null : policyOf(event))),
  ]
  return new Set(policies.filter(policy => policy !== null && policy !== DIRECT_TRANSFER_POLICY) as string[])
}

const CREATED = /PolicyCreated$/
/** Every payment at the place of an order stands behind this. */
const placeOf = (order: ChainOrder): ChainOrder => order.slice(0, 32)

/** Collects causes by policy. */
class Causes extends Map<string, RefoldCause> {
  of(policy: string): RefoldCause {
    let cause = this.get(policy)
    if (cause === undefined) this.set(policy, (cause = { payments: [], from: null, events: [] }))
    return cause
  }

  deriveFrom(policy: string, order: ChainOrder): void {
    const cause = this.of(policy)
    cause.from = cause.from === null || order < cause.from ? order : cause.from
  }

  /** A retracted Created event still tells payments of its transaction their tracking ID. */
  addRetractedAt(policy: string, { effect }: ChainEvent, order: ChainOrder): void {
    if (effect.kind === 'policy-created') this.deriveFrom(policy, placeOf(order))
  }

  /** An event came to a place (1) or left it (-1). */
  add(policy: string, { effect }: ChainEvent, order: ChainOrder, sign: 1n | -1n): void {
    const cause = this.of(policy)
    if (effect.kind === 'payment')
      cause.payments.push({ order, amount: effect.amount, paidAt: effect.paidAt, sign })
    if (effect.kind === 'policy-created') this.deriveFrom(policy, placeOf(order))
  }
}

export interface BatchChanges {
  folded: Folded
  known: Known
  retracted: readonly RetractedEvent[]
  moved: readonly MovedEvent[]
}

/** The causes by policy. */
export function collectCauses({ folded, known, retracted, moved }: BatchChanges): Map<string, RefoldCause> {
  const causes = new Causes()
  const starts = new Map(known.policies.map(({ state }) => [state.address, state.incarnationStart]))
  for (const { event, retracted: isRetracted } of folded.events) {
    const policy = policyOf(event)
    if (isRetracted && policy !== null) causes.addRetractedAt(policy, event, event.order)
    if (isRetracted || policy === null || !folded.refold.has(policy)) continue
    causes.add(policy, event, event.order, 1n)
    causes.of(policy).events.push(event)
  }
  for (const event of retracted) addRetracted(causes, event)
  for (const { event, from, retracted: isRetracted } of moved) {
    const policy = policyOf(event)
    if (policy === null) continue
    if (isRetracted) causes.addRetractedAt(policy, event, event.order)
    else {
      causes.add(policy, event, from, -1n)
      causes.add(policy, event, event.order, 1n)
      // What stood before its incarnation was not told of it.
      const wasTold = isOfIncarnation(starts.get(policy) ?? null, from)
      if (event.effect.kind !== 'policy-created' && !wasTold) causes.of(policy).events.push(event)
    }
  }
  return causes
}

function addRetracted(causes: Causes, event: RetractedEvent): void {
  const { id, name, paymentPolicy: policy, amount, paidAt } = event
  if (policy === null || policy === DIRECT_TRANSFER_POLICY) return
  const place = {
    slot: Number(event.slot),
    transactionIndex: Number(event.transactionIndex),
    index: Number(event.index),
  }
  const order = orderOf(place, id)
  const cause = causes.of(policy)
  if (amount !== null) cause.payments.push({ order, amount: BigInt(amount), paidAt: paidAt!, sign: -1n })
  if (CREATED.test(name)) causes.deriveFrom(policy, placeOf(order))
}

/**
 * Policies with a new Created event behind which retracted payments are stored: the policy's row knows only payments that
 * stand. One probe of events_policy_payments for each appended Created event.
 * @param upTo the last position before the batch
 * @returns by policy, from where the facts of its payments can differ
 */
export async function readForgotten(
  tx: Tx,
  { policies }: Folded,
  upTo: bigint,
): Promise<Map<string, ChainOrder>> {
  const created = policies.flatMap(({ before, after, events }) => {
    const first = events.find(({ effect }) => effect.kind === 'policy-created')
    if (!first) return []
    const isLinked = (before?.state.userPayment ?? null) !== null
    const { slot, transactionIndex, index } = first
    return [
      isLinked
        ? { slot, transactionIndex, index, address: after.address, from: placeOf(first.order) }
        : { slot: 0, transactionIndex: 0, index: 0, address: after.address, from: '' },
    ]
  })
  if (created.length === 0) return new Map()
  const rows = await tx.$queryRaw<{ address: string }[]>(sql`
    select c.address from unnest(
        ${created.map(({ address }) => address)}::text[], ${bigints(created.map(({ slot }) => slot))},
        ${bigints(created.map(({ transactionIndex }) => transactionIndex))},
        ${bigints(created.map(({ index }) => index))}) as c (address, slot, transaction_index, event_index)
     where exists (
       select from events e where e.payment_policy = c.address and ${OF_POLICY} and e.position <= ${upTo}
          and (e.slot, e.transaction_index, e.event_index) >= (c.slot, c.transaction_index, c.event_index))`)
  const found = new Set(rows.map(({ address }) => address))
  return new Map(
    created.filter(({ address }) => found.has(address)).map(({ address, from }) => [address, from]),
  )
}

/** The user payments whose owner or mint a batch made known. */
export function newlyKnownAccounts({ userPayments }: Folded, known: Known): string[] {
  const before = new Map(known.userPayments.map(account => [account.address, account]))
  return [...userPayments.values()]
    .filter(({ address, owner, tokenMint }) => {
      const was = before.get(address)
      return owner !== (was?.owner ?? null) || tokenMint !== (was?.tokenMint ?? null)
    })
    .map(({ address }) => address)
}

/**
 * Policies of user payments to which it matters that these became known: their payments lack an owner and a mint, or
 * messages about them wait for the mint. Relies on policies_user_payment_idx, and on two probes a policy; the order makes the second one use
 * waiting_messages_policy.
 * @param page which policies `p` to look at, at most
 */
const lacking = (page: Sql): Sql => sql`
  select p.address, p.created_at, p.last_payment_order is not null
      or exists (select from events e where e.payment_policy = p.address and ${OF_POLICY})
      or (select true from waiting_messages w where w.policy = p.address and w.waits_for = 'facts'
           order by coalesce(w.slot, 9007199254740991) limit 1) is not null as lacks
    from (select * from policies p where ${page}) p`

/**
 * The policies of some user payments that lack their owner and mint.
 * @param rows that the transaction does at once
 * @returns null when there are more policies than one transaction looks at
 */
export async function readPoliciesOf(
  tx: Tx,
  userPayments: readonly string[],
  rows: number,
): Promise<string[] | null> {
  if (userPayments.length === 0) return []
  const most = policiesFor(rows)
  const found = await tx.$queryRaw<{ address: string; lacks: boolean }[]>(
    lacking(sql`p.user_payment = any(${[...userPayments]}::text[]) limit ${most + 1}`),
  )
  if (found.length > most) return null
  return found.filter(({ lacks }) => lacks).map(({ address }) => address)
}

/**
 * One page of the policies of a user payment, in the order of policies_user_payment_idx. A policy that is created anew
 * meanwhile moves behind the page.
 * @param after `last` of the page before; '' is the beginning
 * @returns those that lack its owner and mint, and the place of the page's last policy; null behind the last page
 */
export async function readPageOf(
  tx: Tx,
  userPayment: string,
  { after, limit }: { after: string; limit: number },
): Promise<{ policies: string[]; last: string | null }> {
  const [createdAt, address] = after.split(' ') as [string, string?]
  const behind =
    address === undefined ? empty : sql`and (p.created_at, p.address) > (${BigInt(createdAt)}, ${address})`
  const rows = await tx.$queryRaw<{ address: string; lacks: boolean; created_at: bigint }[]>(sql`
    ${lacking(sql`p.user_payment = ${userPayment} ${behind} order by p.created_at, p.address limit ${limit}`)}
     order by p.created_at, p.address`)
  const last = rows.at(-1)
  return {
    policies: rows.filter(({ lacks }) => lacks).map(row => row.address),
    last: rows.length === limit && last ? `${last.created_at} ${last.address}` : null,
  }
}
