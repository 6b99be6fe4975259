// Sends what a batch adds: new events with their details, the states that were appended to, and the figures.
import { setImmediate as giveWay } from 'node:timers/promises'
import type { CountedPayment } from '@payment-tracking/domain'
import type { PipelinedTx } from '../../core/database/pipelined-transactions.js'
import { insertEvents } from './events.js'
import { addDifferences, differencesOf } from '../figures/figures.js'
import { gatewayOf, userPaymentOf } from '../../core/tables/addresses.js'
import { writeGatewayPayments } from '../../core/tables/gateway-payments.js'
import type { Folded } from './fold.js'
import { writeGateways } from '../../core/tables/gateways.js'
import type { NumberedEvent } from './number.js'
import {
  writePaidPolicies,
  writePolicies,
  type FoldedPolicy,
  type WrittenPolicy,
} from '../../core/tables/policies.js'
import { writeUserPayments } from '../../core/tables/user-payments.js'

/**
 * Events are most of a batch's data, so they are sent in parts: Postgres works on the first part while this process
 * prepares the next part. In between, the event loop sends buffered data.
 */
const SENT_IN_ONE_GO = 250

/** Resolves when everything is sent. Statements that follow see the changes. */
export async function writeFolded(
  tx: PipelinedTx,
  numbered: readonly NumberedEvent[],
  folded: Folded,
): Promise<void> {
  for (let at = 0; at < numbered.length; at += SENT_IN_ONE_GO) {
    if (at > 0) await giveWay()
    insertEvents(tx, numbered.slice(at, at + SENT_IN_ONE_GO))
  }
  writeGatewayPayments(tx, numbered.flatMap(paymentOf))
  const valid = numbered.filter(({ retracted }) => !retracted)
  writeGateways(tx, touched(folded.gateways, valid, gatewayOf))
  writeUserPayments(tx, touched(folded.userPayments, valid, userPaymentOf))
  writePaidPolicies(tx, folded.policies.filter(wasJustPaid).map(toRow))
  writePolicies(tx, folded.policies.filter(policy => !wasJustPaid(policy)).map(toRow))
  const events = valid.map(({ event }) => event)
  await addDifferences(tx, differencesOf(events, valid.flatMap(countedOf)))
}

function touched<S>(
  states: ReadonlyMap<string, S>,
  events: readonly NumberedEvent[],
  addressOf: (event: NumberedEvent['event']) => string | null,
): S[] {
  const addresses = new Set(events.flatMap(({ event }) => addressOf(event) ?? []))
  return [...addresses].map(address => states.get(address)!)
}

const toRow = ({ after, outcome }: FoldedPolicy): WrittenPolicy => ({ state: after, outcome })

/** A stored policy to which only payments happened. */
const wasJustPaid = ({ before, events }: FoldedPolicy): boolean =>
  before !== undefined && events.every(({ effect }) => effect.kind === 'payment')

function countedOf({ event: { effect, occurredAt }, details }: NumberedEvent): CountedPayment[] {
  if (effect.kind !== 'payment') return []
  return [{ gateway: effect.gateway, amount: effect.amount, tokenMint: details!.tokenMint, occurredAt }]
}

const paymentOf = ({ event: { effect }, position }: NumberedEvent): { gateway: string; position: bigint }[] =>
  effect.kind === 'payment' ? [{ gateway: effect.gateway, position }] : []
