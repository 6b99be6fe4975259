// Gateways and user payments after one of their events was retracted or moved: folded again from their stored events.
// Each has few: its Created and Deleted events, and the changes of a gateway's signer.
import {
  applyToGateway,
  applyToUserPayment,
  emptyGateway,
  emptyUserPayment,
  type ChainEvent,
} from '@payment-tracking/domain'
import { sql, type Sql, type Tx } from '../database/sql.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { gatewayOf, userPaymentOf } from './fold.js'
import { writeGateways } from './gateways.js'
import { readStored, STORED_COLUMNS, type StoredRow } from './stored-events.js'
import { writeUserPayments } from './user-payments.js'

async function readStanding(tx: Tx, condition: Sql, programId: string): Promise<ChainEvent[]> {
  const rows = await tx.$queryRaw<StoredRow[]>`
    select ${STORED_COLUMNS} from events e where ${condition} and e.retracted_at is null`
  return rows.map(row => readStored(row, programId))
}

/** The order of the events does not matter to these states. @returns by address; addresses without events are missing */
function foldAll<S>(
  events: readonly ChainEvent[],
  addressOf: (event: ChainEvent) => string | null,
  empty: (address: string) => S,
  apply: (state: S, event: ChainEvent) => S,
): Map<string, S> {
  const states = new Map<string, S>()
  for (const event of events) {
    const address = addressOf(event)
    if (address !== null) states.set(address, apply(states.get(address) ?? empty(address), event))
  }
  return states
}

/** Relies on events_gateway_rare. */
export async function refoldGateways(
  tx: PipelinedTx,
  addresses: readonly string[],
  programId: string,
): Promise<void> {
  if (addresses.length === 0) return
  const condition = sql`e.gateway = any(${[...addresses]}::text[]) and e.name <> 'PaymentRecord'
    and e.name in ('PaymentGatewayCreated', 'PaymentGatewayDeleted', 'GatewaySignerChanged')`
  const events = await readStanding(tx, condition, programId)
  const states = foldAll(events, gatewayOf, emptyGateway, applyToGateway)
  const gone = addresses.filter(address => !states.has(address))
  tx.send(sql`delete from gateways where address = any(${gone}::text[])`)
  writeGateways(tx, [...states.values()])
}

/** Relies on events_user_payment_rare. */
export async function refoldUserPayments(
  tx: PipelinedTx,
  addresses: readonly string[],
  programId: string,
): Promise<void> {
  if (addresses.length === 0) return
  const condition = sql`e.user_payment = any(${[...addresses]}::text[]) and e.name <> 'PaymentRecord'
    and e.name in ('UserPaymentCreated', 'UserPaymentDeleted')`
  const events = await readStanding(tx, condition, programId)
  const states = foldAll(events, userPaymentOf, emptyUserPayment, applyToUserPayment)
  const gone = addresses.filter(address => !states.has(address))
  tx.send(sql`delete from user_payments where address = any(${gone}::text[])`)
  writeUserPayments(tx, [...states.values()])
}
