// Folds again what a batch's events could not be appended to.
import type { ChainOrder } from '@payment-tracking/domain'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { gatewayOf, userPaymentOf } from './addresses.js'
import type { Folded } from './fold.js'
import type { Identified } from './identify.js'
import { refoldGateways, refoldUserPayments } from './refold-accounts.js'
import { collectCauses, newlyKnownAccounts, readPoliciesOf } from './refold-causes.js'
import { refold, type Refolded } from './refold.js'
import { addWork } from './work.js'

export interface RefoldInput {
  identified: Identified
  folded: Folded
  /** the result of `readForgotten` */
  forgotten: ReadonlyMap<string, ChainOrder>
  programId: string
  /** `rowsAtOnce` of the batch */
  rows: number
}

/** The batch's events are stored already. Most batches hold nothing to fold again and cost no statement here. */
export async function refoldBatch(
  tx: PipelinedTx,
  { identified, folded, forgotten, programId, rows }: RefoldInput,
): Promise<Refolded> {
  const { known, retracted, moved, head } = identified
  const scope = { programId, sincePosition: head.position, rows }
  const changed = addressesOf(identified)
  await refoldGateways(tx, changed.gateways, programId)
  await refoldUserPayments(tx, changed.userPayments, programId)
  const causes = collectCauses({ folded, known, retracted, moved })
  const accounts = [...new Set([...newlyKnownAccounts(folded, known), ...changed.userPayments])]
  const policies = await readPoliciesOf(tx, accounts, rows)
  const lacking = (policies ?? []).map(policy => [policy, ''] as const)
  for (const [policy, from] of [...forgotten, ...lacking]) {
    const cause = causes.get(policy)
    const known = cause?.from ?? null
    causes.set(policy, {
      payments: [],
      events: [],
      ...cause,
      from: known !== null && known < from ? known : from,
    })
  }
  if (policies === null)
    addWork(
      tx,
      accounts.map(address => ({ kind: 'user-payment' as const, address, sincePosition: head.position })),
    )
  const payments = [...folded.unplaced, ...moved.map(({ event }) => event.id)]
  return refold(tx, causes, payments, scope)
}

/** The gateways and user payments of events that left their place. */
function addressesOf({ retracted, moved }: Identified): { gateways: string[]; userPayments: string[] } {
  const gateways = new Set<string>()
  const userPayments = new Set<string>()
  for (const { name, gateway, userPayment } of retracted) {
    if (gateway !== null && /^(?:PaymentGateway|GatewaySigner)/.test(name)) gateways.add(gateway)
    if (userPayment !== null && name.startsWith('UserPayment')) userPayments.add(userPayment)
  }
  for (const { event, retracted: isRetracted } of moved) {
    if (isRetracted) continue
    const [gateway, userPayment] = [gatewayOf(event), userPaymentOf(event)]
    if (gateway !== null) gateways.add(gateway)
    if (userPayment !== null) userPayments.add(userPayment)
  }
  return { gateways: [...gateways], userPayments: [...userPayments] }
}
