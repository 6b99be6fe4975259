// Projects some addresses again from their events, after an event was retracted or its place became known.
import { sql, type Sql, type Tx } from '../database/sql.js'
import {
  applyToGateway,
  applyToPolicy,
  applyToUserPayment,
  DIRECT_TRANSFER_POLICY,
  emptyGateway,
  emptyPolicy,
  emptyUserPayment,
  orderOf,
  type ChainEvent,
  type PolicyState,
} from '@payment-tracking/domain'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { countIncarnationPayments } from './count-payments.js'
import { writeGateways } from './gateways.js'
import { IS_PAYMENT } from '../payment-names.js'
import { writePolicies } from './policies.js'
import { hoursOf, recountHours } from './recount-hours.js'
import { readStored, STORED_COLUMNS, type StoredRow } from './stored-events.js'
import { writeUserPayments } from './user-payments.js'

export interface Addresses {
  policies: readonly string[]
  userPayments: readonly string[]
  gateways: readonly string[]
}

interface ProjectionScope {
  /** the last position to count */
  upTo: bigint
  programId: string
}

interface Scope extends ProjectionScope {
  /** payments that were added or removed: the aggregates of their hours are counted again */
  payments: readonly { gateway: string; occurredAt: Date }[]
}

/** Projects some addresses again, and recounts the aggregates that depend on them. The caller holds the writer lock. */
export async function restate(tx: PipelinedTx, addresses: Addresses, scope: Scope): Promise<void> {
  const policies = [...new Set([...addresses.policies, ...(await policiesOf(tx, addresses.userPayments))])]
  const mintsBefore = await readMints(tx, policies)
  await projectAgain(tx, addresses, scope)
  const mintsAfter = await readMints(tx, policies)
  const changed = policies.filter(address => mintsBefore.get(address) !== mintsAfter.get(address))
  recountHours(
    tx,
    hoursOf([...scope.payments, ...(await paymentsOfUnknownMint(tx, changed, scope.upTo))]),
    scope.upTo,
  )
}

/** Projects some addresses again, and leaves the aggregates as they are. The caller holds the writer lock. */
async function projectAgain(tx: PipelinedTx, addresses: Addresses, scope: ProjectionScope): Promise<void> {
  await restateGateways(tx, addresses.gateways, scope)
  await restateUserPayments(tx, addresses.userPayments, scope)
  await restatePolicies(tx, addresses.policies, scope)
  moveNotices(tx, addresses.policies)
}

/**
 * policy_notices names an incarnation by the order of its Created event. When that event gets another place, its order
 * changes. This function writes the new order into the notices, so that no date is told again. An order ends with the id
 * of its event.
 */
function moveNotices(tx: PipelinedTx, policies: readonly string[]): void {
  if (policies.length === 0) return
  tx.send(sql`
    update policy_notices n set incarnation = p.life_start
      from policies p
     where p.address = any(${[...policies]}::text[]) and n.policy = p.address and n.incarnation <> p.life_start
       and right(n.incarnation, 32) = right(p.life_start, 32)`)
}

async function policiesOf(tx: Tx, userPayments: readonly string[]): Promise<string[]> {
  if (userPayments.length === 0) return []
  const rows = await tx.$queryRaw<{ address: string }[]>`
    select address from policies where user_payment = any(${[...userPayments]}::text[])`
  return rows.map(({ address }) => address)
}

async function readMints(tx: Tx, policies: readonly string[]): Promise<Map<string, string | null>> {
  if (policies.length === 0) return new Map()
  const rows = await tx.$queryRaw<{ address: string; mint: string | null }[]>`
    select p.address, coalesce(p.token_mint, u.token_mint) as mint
      from policies p left join user_payments u on u.address = p.user_payment
     where p.address = any(${[...policies]}::text[])`
  return new Map(rows.map(({ address, mint }) => [address, mint]))
}

async function paymentsOfUnknownMint(tx: Tx, policies: readonly string[], upTo: bigint) {
  if (policies.length === 0) return []
  return tx.$queryRaw<{ gateway: string; occurredAt: Date }[]>`
    select distinct e.gateway, date_trunc('hour', e.occurred_at, 'UTC') as "occurredAt"
      from events e
     where e.payment_policy = any(${[...policies]}::text[]) and ${IS_PAYMENT} and e.token_mint is null
       and e.retracted_at is null and e.position <= ${upTo}`
}

/** The events that stand, with the given names, of some addresses in one column. */
async function readEvents(
  tx: Tx,
  condition: Sql,
  { upTo, programId }: ProjectionScope,
): Promise<ChainEvent[]> {
  const rows = await tx.$queryRaw<StoredRow[]>`
    select ${STORED_COLUMNS} from events e
     where ${condition} and e.retracted_at is null and e.position <= ${upTo} order by e.position`
  return rows.map(row => readStored(row, programId))
}

async function restateGateways(
  tx: PipelinedTx,
  addresses: readonly string[],
  scope: ProjectionScope,
): Promise<void> {
  if (addresses.length === 0) return
  const ofGateways = sql`e.gateway = any(${[...addresses]}::text[])
    and e.name in ('PaymentGatewayCreated', 'PaymentGatewayDeleted', 'GatewaySignerChanged')`
  const states = new Map(addresses.map(address => [address, emptyGateway(address)]))
  const named = new Set<string>()
  for (const event of await readEvents(tx, ofGateways, scope)) {
    if (event.gateway === null) continue
    named.add(event.gateway)
    states.set(event.gateway, applyToGateway(states.get(event.gateway)!, event))
  }
  const gone = addresses.filter(address => !named.has(address))
  tx.send(sql`delete from gateways where address = any(${gone}::text[])`)
  writeGateways(
    tx,
    [...states.values()].filter(({ address }) => named.has(address)),
  )
}

async function restateUserPayments(
  tx: PipelinedTx,
  addresses: readonly string[],
  scope: ProjectionScope,
): Promise<void> {
  if (addresses.length === 0) return
  const ofUserPayments = sql`e.user_payment = any(${[...addresses]}::text[])
    and e.name in ('UserPaymentCreated', 'UserPaymentDeleted')`
  const states = new Map(addresses.map(address => [address, emptyUserPayment(address)]))
  const named = new Set<string>()
  for (const event of await readEvents(tx, ofUserPayments, scope)) {
    if (event.userPayment === null) continue
    named.add(event.userPayment)
    states.set(event.userPayment, applyToUserPayment(states.get(event.userPayment)!, event))
  }
  const gone = addresses.filter(address => !named.has(address))
  tx.send(sql`delete from user_payments where address = any(${gone}::text[])`)
  writeUserPayments(
    tx,
    [...states.values()].filter(({ address }) => named.has(address)),
  )
}

interface LatestRow {
  address: string
  id: string
  slot: bigint
  transaction_index: bigint
  event_index: bigint
  paid_at: bigint
}

/** The latest payment of each policy, in any incarnation. */
const readLatestPayments = (tx: Tx, addresses: readonly string[], upTo: bigint): Promise<LatestRow[]> =>
  tx.$queryRaw<LatestRow[]>`
    select distinct on (e.payment_policy) e.payment_policy as address, e.id, e.slot, e.transaction_index,
           e.event_index, e.paid_at
      from events e
     where e.payment_policy = any(${[...addresses]}::text[]) and ${IS_PAYMENT} and e.retracted_at is null
       and e.position <= ${upTo}
     order by e.payment_policy, e.slot desc, e.transaction_index desc, e.event_index desc, e.id desc`

async function restatePolicies(
  tx: PipelinedTx,
  addresses: readonly string[],
  scope: ProjectionScope,
): Promise<void> {
  if (addresses.length === 0) return
  const ofPolicies = sql`e.payment_policy = any(${[...addresses]}::text[]) and not ${IS_PAYMENT}`
  const states = new Map<string, PolicyState>()
  const stateOf = (address: string): PolicyState => states.get(address) ?? emptyPolicy(address)
  for (const event of await readEvents(tx, ofPolicies, scope)) {
    const { effect } = event
    if ('policy' in effect) states.set(effect.policy, applyToPolicy(stateOf(effect.policy), event))
  }
  for (const row of await readLatestPayments(tx, addresses, scope.upTo)) {
    const place = {
      slot: Number(row.slot),
      transactionIndex: Number(row.transaction_index),
      index: Number(row.event_index),
    }
    const { address } = row
    states.set(address, {
      ...stateOf(address),
      lastPaymentOrder: orderOf(place, row.id),
      lastPaidAt: row.paid_at,
    })
  }
  const all = [...states.values()]
  const counted = await countIncarnationPayments(
    tx,
    all.filter(({ incarnationStart }) => incarnationStart !== null),
    scope.upTo,
  )
  const gone = addresses.filter(address => !states.has(address))
  tx.send(sql`delete from policies where address = any(${gone}::text[])`)
  writePolicies(tx, [...counted, ...all.filter(({ incarnationStart }) => incarnationStart === null)])
}

/** Projects again the policies, user payments and gateways of events whose place became known. */
export async function restateMoved(
  tx: PipelinedTx,
  moved: readonly { id: string }[],
  scope: ProjectionScope,
): Promise<void> {
  const rows = await tx.$queryRaw<NamedAddresses[]>`
    select name, gateway, payment_policy as "paymentPolicy", user_payment as "userPayment"
      from events where id = any(${moved.map(({ id }) => id)}::uuid[]) and retracted_at is null`
  await restate(tx, addressesOf(rows), { ...scope, payments: [] })
}

/** The addresses in an event. */
export interface NamedAddresses {
  name: string
  gateway: string | null
  paymentPolicy: string | null
  userPayment: string | null
}

const distinct = (values: readonly (string | null)[]): string[] => [
  ...new Set(values.filter(value => value !== null)),
]

/** The addresses whose state depends on some events. */
export function addressesOf(events: readonly NamedAddresses[]): Addresses {
  const ofGateways = events.filter(({ name }) => /^(?:PaymentGateway|GatewaySigner)/.test(name))
  return {
    policies: distinct(events.map(({ paymentPolicy }) => paymentPolicy)).filter(
      address => address !== DIRECT_TRANSFER_POLICY,
    ),
    userPayments: distinct(
      events.filter(({ name }) => name.startsWith('UserPayment')).map(({ userPayment }) => userPayment),
    ),
    gateways: distinct(ofGateways.map(({ gateway }) => gateway)),
  }
}
