// Recomputes what a batch's events could not be appended to.
import type { ChainOrder } from '@payment-tracking/domain'
import type { PipelinedTx } from '../../core/database/sql.js'
import { gatewayOf, userPaymentOf } from '../../core/tables/addresses.js'
import type { Folded } from './fold.js'
import type { Identified } from './identify.js'
import { recomputeGateways, recomputeUserPayments } from '../recompute/accounts.js'
import { readPoliciesOf } from '../recompute/user-payment-work.js'
import { FROM_START } from '../recompute/chain-positions.js'
import { collectRequests, newlyKnownAccounts } from './recompute-requests.js'
import type { Recomputed } from '../recompute/policy-work.js'
import { recompute } from '../recompute/recompute.js'
import { addKeys } from '../../core/tasks/work-table.js'

export interface RecomputeInput {
  identified: Identified
  folded: Folded
  /** the result of `readForgotten` */
  forgotten: ReadonlyMap<string, ChainOrder>
  programId: string
  /** `rowsAtOnce` of the batch */
  rows: number
}

/** The batch's events are stored already. Most batches hold nothing to recompute and cost no statement here. */
export async function recomputeBatch(
  tx: PipelinedTx,
  { identified, folded, forgotten, programId, rows }: RecomputeInput,
): Promise<Recomputed> {
  const { preloaded, retracted, moved, head } = identified
  const changed = addressesOf(identified)
  await recomputeGateways(tx, changed.gateways, programId)
  await recomputeUserPayments(tx, changed.userPayments, programId)
  const requests = collectRequests({ folded, preloaded, retracted, moved })
  for (const [policy, from] of forgotten) requests.deriveFrom(policy, from)
  const accounts = [...new Set([...newlyKnownAccounts(folded, preloaded), ...changed.userPayments])]
  const policies = await readPoliciesOf(tx, accounts, rows)
  for (const policy of policies ?? []) requests.deriveFrom(policy, FROM_START)
  if (policies === null) addKeys(tx, 'user-payment', accounts)
  const payments = [...folded.undecided, ...moved.map(({ event }) => event.id)]
  return recompute(tx, requests, payments, { programId, head, rows })
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
