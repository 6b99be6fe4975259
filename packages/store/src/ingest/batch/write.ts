// Sends what a batch adds: new events with their details, the states that were appended to, and the figures.
import { writeTrackingHeads } from '../../core/tables/tracking-heads.js'
import { setImmediate as giveWay } from 'node:timers/promises'
import { figuresOf, type CountedEvent } from '@payment-tracking/domain'
import type { PipelinedTx } from '../../core/database/sql.js'
import { insertEvents } from './events.js'
import { addNew } from '../figures/figures.js'
import { gatewayOf, userPaymentOf } from '../../core/tables/addresses.js'
import type { Folded } from './fold.js'
import { writeGateways } from '../../core/tables/gateways.js'
import type { LockedHead } from '../../core/tables/head.js'
import type { NumberedEvent } from './number.js'
import { writePaidPolicies, writePolicies, type FoldedPolicy } from '../../core/tables/policies.js'
import { writeUserPayments } from '../../core/tables/user-payments.js'

/**
 * Events are most of a batch's data, so they are sent in parts: Postgres works on the first part while this process
 * prepares the next part. In between, the event loop sends buffered data.
 */
const SENT_IN_ONE_GO = 250

/** Resolves when everything is sent. Statements that follow see the changes. */
export async function writeFolded(
  tx: PipelinedTx,
  { figuresVersion }: LockedHead,
  numbered: readonly NumberedEvent[],
  folded: Folded,
): Promise<void> {
  let sent = 0
  for (; numbered.length - sent > SENT_IN_ONE_GO; sent += SENT_IN_ONE_GO) {
    insertEvents(tx, numbered.slice(sent, sent + SENT_IN_ONE_GO))
    await giveWay()
  }
  const valid = numbered.filter(({ retracted }) => !retracted)
  writeGateways(tx, touched(folded.gateways, valid, gatewayOf))
  tx.together(() => {
    if (numbered.length > sent) insertEvents(tx, numbered.slice(sent))
    writeTrackingHeads(
      tx,
      numbered.map(({ event: { trackingId }, seq }) => ({ trackingId, seq })),
    )
    writeUserPayments(tx, touched(folded.userPayments, valid, userPaymentOf))
    // They write one table, each other rows.
    writePaidPolicies(tx, folded.policies.filter(wasJustPaid))
    writePolicies(tx, folded.policies.filter(isOther))
    addNew(tx, figuresVersion, figuresOf(valid.map(toCounted)))
  })
}

function touched<S>(
  states: ReadonlyMap<string, S>,
  events: readonly NumberedEvent[],
  addressOf: (event: NumberedEvent['event']) => string | null,
): S[] {
  const addresses = new Set(events.flatMap(({ event }) => addressOf(event) ?? []))
  return [...addresses].map(address => states.get(address)!)
}

/** A stored policy to which only payments happened. */
const wasJustPaid = ({ before, events }: FoldedPolicy): boolean =>
  before !== undefined && events.every(({ effect }) => effect.kind === 'payment')
const isOther = (policy: FoldedPolicy): boolean => !wasJustPaid(policy)

const toCounted = ({
  event: { name, occurredAt, gateway, effect },
  details,
}: NumberedEvent): CountedEvent => ({
  name,
  occurredAt,
  gateway,
  amount: effect.kind === 'payment' ? effect.amount : null,
  tokenMint: details?.tokenMint ?? null,
})
