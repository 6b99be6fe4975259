// Finds what a batch must recompute, and why.
import {
  DIRECT_TRANSFER_POLICY,
  isOfIncarnation,
  orderOf,
  type ChainEvent,
  type ChainOrder,
} from '@payment-tracking/domain'
import { bigints, sql, type Tx } from '../../core/database/sql.js'
import { OF_POLICY } from '../../core/tables/payment-names.js'
import { policyOf } from '../../core/tables/addresses.js'
import type { Folded } from './fold.js'
import type { Correction } from './identities.js'
import type { Preloaded } from './preload.js'
import { FROM_START, earlier, FROM_NONE, chainPositionOf, type From } from '../recompute/chain-positions.js'
import type { RecomputeRequest } from '../recompute/recompute.js'
import type { RetractedEvent } from './retractions.js'
import { readStored, STORED_COLUMNS, type StoredRow } from '../../core/tables/stored-events.js'

/** A stored event that has another chain position now. */
export interface MovedEvent {
  event: ChainEvent
  /** the order before */
  from: ChainOrder
  retracted: boolean
}

/** The events that copies moved. The new chain positions are written already. */
export async function readMoved(
  tx: Tx,
  corrections: readonly Correction[],
  programId: string,
): Promise<MovedEvent[]> {
  const from = new Map(corrections.map(({ id, movedFrom }) => [id, movedFrom]))
  const moved = corrections.filter(({ movedFrom }) => movedFrom !== null).map(({ id }) => id)
  if (moved.length === 0) return []
  const rows = await tx.$queryRaw<(StoredRow & { retracted: boolean })[]>`
    select ${STORED_COLUMNS}, e.retracted_at is not null as retracted from events e
     where e.id = any(${moved}::uuid[])`
  return rows.map(row => {
    const event = readStored(row, programId)
    const before = { slot: event.slot, ...from.get(row.id)! }
    return { event, from: orderOf(before, row.id), retracted: row.retracted }
  })
}

/** The policies of events that left their chain position. They are recomputed whatever else the batch holds. */
export const policiesToRecompute = (
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
/** By policy. */
export class RecomputeRequests extends Map<string, RecomputeRequest> {
  of(policy: string): RecomputeRequest {
    let request = this.get(policy)
    if (request === undefined) this.set(policy, (request = { payments: [], from: FROM_NONE, events: [] }))
    return request
  }

  deriveFrom(policy: string, from: From): void {
    const request = this.of(policy)
    request.from = earlier(request.from, from)
  }

  /** A retracted Created event still gives payments of its transaction their tracking ID. */
  addRetractedAt(policy: string, { effect }: ChainEvent, order: ChainOrder): void {
    if (effect.kind === 'policy-created') this.deriveFrom(policy, chainPositionOf(order))
  }

  /** An event came to a chain position (1) or left it (-1). */
  add(policy: string, { effect }: ChainEvent, order: ChainOrder, sign: 1n | -1n): void {
    const request = this.of(policy)
    if (effect.kind === 'payment')
      request.payments.push({ order, amount: effect.amount, paidAt: effect.paidAt, sign })
    if (effect.kind === 'policy-created') this.deriveFrom(policy, chainPositionOf(order))
  }
}

export interface BatchChanges {
  folded: Folded
  preloaded: Preloaded
  retracted: readonly RetractedEvent[]
  moved: readonly MovedEvent[]
}

/** The requests by policy. */
export function collectRequests({ folded, preloaded, retracted, moved }: BatchChanges): RecomputeRequests {
  const requests = new RecomputeRequests()
  const starts = new Map(preloaded.policies.map(({ state }) => [state.address, state.incarnationStart]))
  for (const { event, retracted: isRetracted } of folded.events) {
    const policy = policyOf(event)
    if (isRetracted && policy !== null) requests.addRetractedAt(policy, event, event.order)
    if (isRetracted || policy === null || !folded.recompute.has(policy)) continue
    requests.add(policy, event, event.order, 1n)
    requests.of(policy).events.push(event)
  }
  for (const event of retracted) addRetracted(requests, event)
  for (const { event, from, retracted: isRetracted } of moved) {
    const policy = policyOf(event)
    if (policy === null) continue
    if (isRetracted) requests.addRetractedAt(policy, event, event.order)
    else {
      requests.add(policy, event, from, -1n)
      requests.add(policy, event, event.order, 1n)
      // What came before its incarnation did not have its details.
      const hadDetails = isOfIncarnation(starts.get(policy) ?? null, from)
      if (event.effect.kind !== 'policy-created' && !hadDetails) requests.of(policy).events.push(event)
    }
  }
  return requests
}

function addRetracted(requests: RecomputeRequests, event: RetractedEvent): void {
  const { id, name, paymentPolicy: policy, amount, paidAt } = event
  if (policy === null || policy === DIRECT_TRANSFER_POLICY) return
  const order = orderOf(event, id)
  const request = requests.of(policy)
  if (amount !== null) request.payments.push({ order, amount: BigInt(amount), paidAt: paidAt!, sign: -1n })
  if (CREATED.test(name)) requests.deriveFrom(policy, chainPositionOf(order))
}

const BEFORE_ALL = { slot: 0, transactionIndex: 0, index: 0 }

/**
 * Policies with a new Created event after which retracted payments are stored: the policy's row knows only payments that
 * are valid. One probe of events_policy_payments for each appended Created event.
 * @param upTo the last position before the batch
 * @returns by policy, from where the details of its payments can differ
 */
export async function readForgotten(tx: Tx, { policies }: Folded, upTo: bigint): Promise<Map<string, From>> {
  const created = policies.flatMap(({ before, after, events }) => {
    const first = events.find(({ effect }) => effect.kind === 'policy-created')
    if (!first) return []
    const isLinked = (before?.state.userPayment ?? null) !== null
    const { slot, transactionIndex, index } = isLinked ? first : BEFORE_ALL
    const from = isLinked ? chainPositionOf(first.order) : FROM_START
    return [{ address: after.address, from, slot, transactionIndex, index }]
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
  const from = new Map(created.map(each => [each.address, each.from]))
  return new Map(rows.map(({ address }) => [address, from.get(address)!]))
}

/** The user payments whose owner or mint a batch made known. */
export function newlyKnownAccounts({ userPayments }: Folded, preloaded: Preloaded): string[] {
  const before = new Map(preloaded.userPayments.map(account => [account.address, account]))
  return [...userPayments.values()]
    .filter(({ address, owner, tokenMint }) => {
      const was = before.get(address)
      return owner !== (was?.owner ?? null) || tokenMint !== (was?.tokenMint ?? null)
    })
    .map(({ address }) => address)
}
