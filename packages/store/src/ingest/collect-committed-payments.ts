import { sql, type Tx } from '../database/sql.js'
import type { CommittedPayment } from '@payment-tracking/contracts'
import { isOfIncarnation } from '@payment-tracking/domain'
import { readCommittedPayments } from '../committed-payments.js'
import type { PositionedEvent } from './events.js'
import { mintOf, type Projected } from './project.js'

/**
 * The new payments of a batch, for sockets and webhooks. The projected states hold the recipient, payer and mint of nearly
 * all of them. Only payments of an earlier incarnation without their own recipient are read from the database.
 */
export async function collectCommittedPayments(
  tx: Tx,
  positioned: readonly PositionedEvent[],
  projected: Projected,
): Promise<CommittedPayment[]> {
  const payments: CommittedPayment[] = []
  const ofEarlierIncarnations: string[] = []
  for (const stored of positioned) {
    const { event, seq } = stored
    const { effect } = event
    if (effect.kind !== 'payment') continue
    // A direct transfer has no policy.
    const policy = projected.policies.get(effect.policy)
    const isOfLatest = policy !== undefined && isOfIncarnation(policy.incarnationStart, event.order)
    if (
      effect.recipient === null &&
      policy !== undefined &&
      policy.incarnationStart !== null &&
      !isOfLatest
    ) {
      ofEarlierIncarnations.push(event.id)
      continue
    }
    const userPayment = policy?.userPayment ?? null
    const owner = userPayment === null ? null : (projected.userPayments.get(userPayment)?.owner ?? null)
    payments.push({
      eventId: event.id,
      position: stored.position.toString(),
      trackingId: event.trackingId,
      seq: seq === null ? null : Number(seq),
      signature: event.signature,
      slot: event.slot,
      occurredAt: event.occurredAt.toISOString(),
      paidAt: effect.paidAt.toString(),
      paymentPolicy: effect.policy,
      gateway: effect.gateway,
      amount: effect.amount.toString(),
      recordId: effect.recordId,
      recipient: effect.recipient ?? (isOfLatest ? policy.recipient : null),
      payer: effect.payer ?? owner,
      tokenMint: mintOf(projected, effect),
    })
  }
  if (ofEarlierIncarnations.length === 0) return payments
  payments.push(
    ...(await readCommittedPayments(
      statement => tx.$queryRaw(statement),
      sql`e.id = any(${ofEarlierIncarnations}::uuid[])`,
    )),
  )
  return payments.sort((a, b) => (BigInt(a.position) < BigInt(b.position) ? -1 : 1))
}
