// Policies as ingest writes them, changed without an announcement; and announcements of such changes.
import { createHash } from 'node:crypto'
import type { CommittedLifecycle, LifecycleMessage } from '@payment-tracking/contracts'
import { eventKey, lifecycleMessageId, type LifecycleType } from '@payment-tracking/domain'
import { addEvent, type Pool } from '@payment-tracking/testkit'
import type { Client } from './use-pods.js'

export const NOW = Math.floor(Date.now() / 1000)
export const DAY = 86_400

export interface WrittenPolicy {
  address: string
  trackingId: string
  /** the order of its creation */
  start: string
}

export function buildPolicyWriter(pool: Pool) {
  // Behind the payments that a test may write.
  let position = 1_000
  /** An order on the chain, with its event. */
  const happen = async (): Promise<string> => {
    const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')
    const id = createHash('sha256').update(String(++position)).digest('hex').slice(0, 32)
    await addEvent(pool, { id, position, slot: position, signature: `signature ${position}`, name: 'Told' })
    return hex(position, 16) + hex(0, 16) + id
  }
  /** The columns of a policy that `start` created. */
  const insert = async (
    { address, trackingId, start }: WrittenPolicy,
    columns: Record<string, unknown> = {},
    on: Pick<Pool, 'query'> = pool,
  ): Promise<void> => {
    const row = {
      address,
      tracking_id: trackingId,
      user_payment: 'up',
      gateway: 'g',
      recipient: 'r',
      live: true,
      policy_id: 1,
      created_at: NOW,
      status: 'active',
      incarnation_start: start,
      policy_type: JSON.stringify({ Subscription: { amount: 5 } }),
      ...columns,
    }
    const names = Object.keys(row)
    await on.query(
      `insert into policies (${names.join(', ')}) values (${names.map((_, at) => `$${at + 1}`).join(', ')})`,
      Object.values(row),
    )
  }
  return {
    happen,
    insert,
    create: async (
      address: string,
      trackingId: string,
      columns: Record<string, unknown> = {},
    ): Promise<WrittenPolicy> => {
      const policy = { address, trackingId, start: await happen() }
      await insert(policy, columns)
      return policy
    },
    change: (address: string, set: string, ...values: unknown[]) =>
      pool.query(`update policies set ${set} where address = $1`, [address, ...values]),
  }
}

/**
 * What ingest would announce.
 * @param cause the order of the causing event; 'completed' for a completion
 */
export function lifecycleOf(
  { address, trackingId, start }: WrittenPolicy,
  kind: 'created' | 'paused' | 'resumed' | 'completed' | 'deleted',
  cause: string,
  recipient: string | null = 'r',
): CommittedLifecycle {
  const type: LifecycleType = `subscription.${kind}`
  const id = lifecycleMessageId(
    { address, incarnationStart: start },
    { type, key: cause === 'completed' ? cause : eventKey(cause) },
  )
  const data = JSON.stringify({ trackingId, paymentPolicy: address, status: 'active' })
  return { id, type, trackingId, recipient, paymentPolicy: address, data }
}

export function collectLifecycles(client: Client): LifecycleMessage[] {
  const received: LifecycleMessage[] = []
  client.on('lifecycle', message => received.push(message))
  return received
}

/** Policy and kind of each message. */
export const kindsOf = (received: readonly LifecycleMessage[]): string[] =>
  received.map(({ type, data }) => `${data.paymentPolicy} ${type.replace('subscription.', '')}`)
