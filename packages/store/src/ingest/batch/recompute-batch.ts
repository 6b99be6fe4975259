// Folds again what a batch's events could not be appended to.
import type { ChainOrder } from '@payment-tracking/domain'
import type { PipelinedTx } from '../../core/database/pipelined-transactions.js'
import { gatewayOf, userPaymentOf } from '../../core/tables/addresses.js'
import type { Folded } from './fold.js'
import type { Identified } from './identify.js'
import { refoldGateways, refoldUserPayments } from '../recompute/accounts.js'
import { readPoliciesOf } from '../recompute/user-payment-work.js'
import { BEGINNING } from '../recompute/chain-positions.js'
import { collectCauses, newlyKnownAccounts } from './recompute-requests.js'
import type { Refolded } from '../recompute/policy-work.js'
import { refold } from '../recompute/recompute.js'
import { addWork } from '../../core/tasks/work-table.js'

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
  const changed = addressesOf(identified)
  await refoldGateways(tx, changed.gateways, programId)
  await refoldUserPayments(tx, changed.userPayments, programId)
  const causes = collectCauses({ folded, known, retracted, moved })
  for (const [policy, from] of forgotten) causes.deriveFrom(policy, from)
  const accounts = [...new Set([...newlyKnownAccounts(folded, known), ...changed.userPayments])]
  const policies = await readPoliciesOf(tx, accounts, rows)
  for (const policy of policies ?? []) causes.deriveFrom(policy, BEGINNING)
  if (policies === null)
    addWork(
      tx,
      accounts.map(key => ({ kind: 'user-payment', key })),
    )
  const payments = [...folded.undecided, ...moved.map(({ event }) => event.id)]
  return refold(tx, causes, payments, { programId, position: head.position, rows })
}

/** The gateways and user payments of events that left their chain position. */
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
