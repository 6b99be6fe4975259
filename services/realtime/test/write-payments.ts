import { createHash } from 'node:crypto'
import type { CommittedPayment } from '@payment-tracking/contracts'
import { readPaymentsBySeq } from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'
import type { Pool } from '@payment-tracking/testkit'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Looks like a public key or signature; the same for the same seed. */
export const fakeBase58 = (seed: string, length = 44): string =>
  [...createHash('sha512').update(seed).digest(), ...createHash('sha512').update(`${seed}+`).digest()]
    .slice(0, length)
    .map(byte => ALPHABET[byte % 58])
    .join('')

export interface WritePaymentsOptions {
  trackingId: string
  count?: number
  recipient?: string | null
  amount?: string
}

/**
 * Commits payments of a tracking ID as ingest does: rows, `seq` and head in one transaction.
 * @returns the `seq` values of the payments
 */
export async function writePayments(
  pool: Pool,
  { trackingId, count = 1, recipient = fakeBase58('recipient'), amount = '1000' }: WritePaymentsOptions,
): Promise<number[]> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const { rows: positions } = await client.query<{ position: string }>(
      'update stream_head set position = position + $1 returning position',
      [count],
    )
    const { rows: heads } = await client.query<{ head: string }>(
      `insert into trackings values ($1, $2)
       on conflict (tracking_id) do update set head = trackings.head + excluded.head returning head`,
      [trackingId, count],
    )
    const head = Number(heads[0]!.head)
    await client.query(
      `insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint,
         stream_sequence, gateway, payment_policy, recipient, tracking_id, seq, amount, paid_at, record_id)
       select gen_random_uuid(), $1::bigint - $2::bigint + n, 1000 + n, $3 || n, 0, 'PaymentRecord', '{}', 'confirmed', now(),
              gen_random_uuid(), n, $4, $5, $6, $7, $8::bigint - $2::bigint + n, $9::numeric,
              1790000000, n
         from generate_series(1, $2::bigint) as n`,
      [
        positions[0]!.position,
        count,
        fakeBase58(`${trackingId} ${head}`, 84),
        fakeBase58('gateway'),
        fakeBase58('policy'),
        recipient,
        trackingId,
        head,
        amount,
      ],
    )
    await client.query('commit')
    return Array.from({ length: count }, (_, index) => head - count + 1 + index)
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

/** The payments as ingest would announce them. */
export const committedPaymentsOf = (
  store: Store,
  trackingId: string,
  seqs: readonly number[],
): Promise<CommittedPayment[]> =>
  readPaymentsBySeq(
    store,
    seqs.map(seq => ({ trackingId, from: seq, to: seq })),
  )
