// A seeded feed in the mix the bench states: of 1,000 messages 900 are payments, 50 create policies, the rest
// are status changes, fee changes and user payments. Addresses are derived as the program derives them.
import { createHash } from 'node:crypto'
import bs58 from 'bs58'
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { derivePolicy, deriveGateway, deriveUserPayment } from '@payment-tracking/domain'

const GATEWAYS = 20
const START_SLOT = 400_000_000
const START_TIME = Date.UTC(2026, 0, 1)

export interface Feed {
  /** the gateways of the feed, in a fixed order: every fifth payment goes to one of the first fifth */
  readonly gateways: readonly string[]
  /** the next messages, as the indexer would publish them */
  next(count: number): Promise<{ name: string; bytes: Uint8Array }[]>
}

const bytesArray = (text: string, length: number): number[] => [
  ...Buffer.alloc(length, 0).fill(text, 0, text.length),
]

/** @param seed other seeds make other keys: feeds of different seeds never meet */
export async function openFeed(seed: string): Promise<Feed> {
  let counter = 0
  const bytesOf = (length: 32 | 64): string =>
    bs58.encode(
      createHash(length === 32 ? 'sha256' : 'sha512')
        .update(`${seed}:${counter++}`)
        .digest(),
    )
  const gateways: string[] = []
  for (let i = 0; i < GATEWAYS; i++) gateways.push(deriveGateway(DEFAULT_PROGRAM_ID, bytesOf(32)))

  interface Live {
    address: string
    gateway: string
    trackingId: string
    payments: number
  }
  const policies: Live[] = []
  let made = 0

  const message = (name: string, data: unknown) => {
    made++
    const body = {
      slot: START_SLOT + made,
      signature: bytesOf(64),
      program_id: DEFAULT_PROGRAM_ID,
      index: 0,
      event_name: `tributary_${name}`,
      data,
      // Ten events a second of chain time, so that hours and days fill as they would.
      timestamp: new Date(START_TIME + made * 100).toISOString(),
    }
    return { name, bytes: Buffer.from(JSON.stringify(body)) }
  }

  const createPolicy = async () => {
    const owner = bytesOf(32)
    const userPayment = deriveUserPayment(DEFAULT_PROGRAM_ID, owner, bytesOf(32))
    const live = {
      address: derivePolicy(DEFAULT_PROGRAM_ID, userPayment, 1),
      gateway: gateways[policies.length % GATEWAYS]!,
      trackingId: `${seed}-${policies.length}`,
      payments: 0,
    }
    policies.push(live)
    return message('PaymentPolicyCreated', {
      user_payment: userPayment,
      recipient: bytesOf(32),
      gateway: live.gateway,
      policy_id: 1,
      policy_type: {
        variant: 'Subscription',
        amount: '1000000',
        auto_renew: true,
        max_renewals: null,
        payment_frequency: { variant: 'Monthly' },
        next_payment_due: '1767225600',
      },
      memo: bytesArray(live.trackingId, 64),
    })
  }

  const pay = (live: Live) =>
    message('PaymentRecord', {
      payment_policy: live.address,
      gateway: live.gateway,
      amount: '1000000',
      timestamp: String(Math.floor(START_TIME / 1000) + made),
      memo: bytesArray(live.trackingId, 64),
      record_id: ++live.payments,
    })

  return {
    gateways,
    async next(count) {
      const messages = []
      for (let i = 0; i < count; i++) {
        const turn = made % 20
        if (policies.length === 0 || turn === 0) messages.push(await createPolicy())
        else if (turn === 10) {
          const { address } = policies[made % policies.length]!
          const change = {
            payment_policy: address,
            old_status: { variant: 'Active' },
            new_status: { variant: 'Active' },
          }
          messages.push(message('PaymentPolicyStatusChanged', change))
        } else messages.push(pay(policies[(made * 7919) % policies.length]!))
      }
      return messages
    },
  }
}
