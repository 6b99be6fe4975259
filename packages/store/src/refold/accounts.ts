// Gateways and user payments after one of their events was retracted or moved: folded again from their latest stored
// events. Of each kind of event, only the latest matters, however many there are.
import {
  applyToGateway,
  applyToUserPayment,
  emptyGateway,
  emptyUserPayment,
  type ChainEvent,
} from '@payment-tracking/domain'
import { sql, type Tx } from '../database/sql.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { gatewayOf, userPaymentOf } from '../rows/addresses.js'
import { writeGateways } from './gateways.js'
import { readLatestChanges } from './read-registers.js'
import { readStored } from '../rows/stored-events.js'
import { writeUserPayments } from '../rows/user-payments.js'
import type { WorkKind } from '../work/run-page.js'
import { policiesFor } from '../work/work-table.js'

const GATEWAY_EVENTS = ['PaymentGatewayCreated', 'PaymentGatewayDeleted', 'GatewaySignerChanged']
const USER_PAYMENT_EVENTS = ['UserPaymentCreated', 'UserPaymentDeleted']

async function readLatest(
  tx: Tx,
  addresses: readonly string[],
  names: readonly string[],
  programId: string,
): Promise<ChainEvent[]> {
  const rows = await readLatestChanges(tx, addresses, names)
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

export async function refoldGateways(
  tx: PipelinedTx,
  addresses: readonly string[],
  programId: string,
): Promise<void> {
  if (addresses.length === 0) return
  const events = await readLatest(tx, addresses, GATEWAY_EVENTS, programId)
  const states = foldAll(events, gatewayOf, emptyGateway, applyToGateway)
  const gone = addresses.filter(address => !states.has(address))
  tx.send(sql`delete from gateways where address = any(${gone}::text[])`)
  writeGateways(tx, [...states.values()])
}

export async function refoldUserPayments(
  tx: PipelinedTx,
  addresses: readonly string[],
  programId: string,
): Promise<void> {
  if (addresses.length === 0) return
  const events = await readLatest(tx, addresses, USER_PAYMENT_EVENTS, programId)
  const states = foldAll(events, userPaymentOf, emptyUserPayment, applyToUserPayment)
  const gone = addresses.filter(address => !states.has(address))
  tx.send(sql`delete from user_payments where address = any(${gone}::text[])`)
  writeUserPayments(tx, [...states.values()])
}

/** Of a rebuild: the states of gateways and user payments. */
export const GATEWAY = foldingAgain(refoldGateways)
export const ACCOUNT = foldingAgain(refoldUserPayments)

function foldingAgain(refoldAll: typeof refoldGateways): WorkKind<object> {
  return {
    together: policiesFor,
    page: async (tx, works, { programId }) => {
      await refoldAll(
        tx,
        works.map(({ key }) => key),
        programId,
      )
      return { done: works }
    },
  }
}
