// What the events of a transaction say of policies beside their payments, for webhooks and sockets.
import type { CommittedLifecycle } from '@payment-tracking/contracts'
import {
  lifecycleMessageId,
  lifecyclesOf,
  renderLifecycleData,
  type UserPaymentState,
} from '@payment-tracking/domain'
import type { Tx } from '../database/sql.js'
import type { PolicyLifecycle } from '../webhooks/tell.js'
import type { FoldedPolicy } from './fold.js'
import { readUserPayments } from './user-payments.js'

/**
 * @param known user payments that were read before; the function reads the others
 * @param position the last position after the transaction: whoever knows it knows these changes
 */
export async function collectLifecycles(
  tx: Tx,
  policies: readonly FoldedPolicy[],
  known: ReadonlyMap<string, UserPaymentState>,
  position: bigint,
): Promise<PolicyLifecycle[]> {
  const changed = policies.flatMap(policy => {
    const { before, after, outcome, events } = policy
    const lifecycles = lifecyclesOf(before, { state: after, status: outcome.status }, events)
    return lifecycles.length === 0 ? [] : [{ policy, lifecycles }]
  })
  const unread = changed.flatMap(({ policy: { after } }) =>
    after.userPayment !== null && !known.has(after.userPayment) ? [after.userPayment] : [],
  )
  const read = await readUserPayments(tx, unread)
  const accounts = new Map([...known, ...read.map(account => [account.address, account] as const)])
  return changed.flatMap(({ policy: { after, outcome }, lifecycles }) => {
    const account = after.userPayment === null ? undefined : accounts.get(after.userPayment)
    const policy = {
      ...after,
      gateway: after.gateway!,
      incarnationStart: after.incarnationStart!,
      tokenMint: after.tokenMint ?? account?.tokenMint ?? null,
      payer: account?.owner ?? null,
      status: outcome.status,
      nextPaymentDue: outcome.nextPaymentDue,
    }
    return lifecycles.map(lifecycle => ({
      policy,
      lifecycle: { ...lifecycle, position: position.toString() },
    }))
  })
}

/** For sockets: a client can subscribe only to a policy with a tracking ID. */
export const toCommitted = (lifecycles: readonly PolicyLifecycle[]): CommittedLifecycle[] =>
  lifecycles.flatMap(({ policy, lifecycle }) =>
    policy.trackingId === null
      ? []
      : [
          {
            id: lifecycleMessageId(policy, lifecycle),
            type: lifecycle.type,
            trackingId: policy.trackingId,
            recipient: policy.recipient,
            paymentPolicy: policy.address,
            data: renderLifecycleData(policy, lifecycle),
          },
        ],
  )
