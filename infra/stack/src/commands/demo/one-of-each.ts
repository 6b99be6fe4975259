// The demo shows once what merchants and operators seldom meet: an expected payment in each state, a payment that the chain takes
// back, a message that ingest refuses, and a part of the chain that could not be read.
import { setTimeout as sleep } from 'node:timers/promises'
import { controlSubjectOf } from '@payment-tracking/contracts'
import { buildAddress, buildChain } from '../../chain/index.js'
import { waitUntilStored, type GatewaySession } from '../dev-kit/index.js'
import type { Publisher } from '../open-publisher.js'
import { CENT, USDC } from '../tokens.js'
import { slotAt, type ShopHistory } from './shop-history.js'

/** Of the orders, in cents: what is expected, and what is paid. */
const ORDERS = [
  { trackingId: 'order-open', amount: 1_200n, paid: 0n },
  { trackingId: 'order-paid', amount: 1_350n, paid: 1_350n },
  { trackingId: 'order-underpaid', amount: 2_000n, paid: 800n },
  { trackingId: 'order-overpaid', amount: 900n, paid: 1_000n },
  { trackingId: 'order-expired', amount: 1_500n, paid: 0n, expires: true },
] as const
const EXPIRES_AFTER_MS = 2_000
const DAY_MS = 86_400_000

export async function playOneOfEach(
  { gateway, recipient }: Pick<ShopHistory, 'gateway' | 'recipient'>,
  parts: {
    publisher: Publisher
    session: GatewaySession
    baseUrl: string
    programId: string
    prefix: string
  },
): Promise<void> {
  const { publisher, session, baseUrl, programId, prefix } = parts
  const nowMs = Date.now()
  const chain = buildChain({ seed: `demo/each/${gateway.address}`, programId, firstSlot: slotAt(nowMs) })
  const buyer = buildAddress(`demo/each/buyer/${gateway.address}`)
  const makePayment = (trackingId: string, cents: bigint) =>
    chain.payDirectly({
      gateway: gateway.address,
      trackingId,
      amount: cents * CENT,
      payer: buyer,
      recipient,
      tokenMint: USDC.mint,
    })
  const pay = async (trackingId: string, cents: bigint) => {
    const payment = makePayment(trackingId, cents)
    await publisher.publish(JSON.stringify(payment))
    return payment
  }
  const control = (kind: string, message: object) =>
    publisher.publish(JSON.stringify({ subject: controlSubjectOf(prefix, kind), message }))

  for (const { trackingId, amount, paid, ...rest } of ORDERS) {
    await session.ask('POST', `/v1/gateway/${gateway.address}/expectations`, {
      trackingId,
      recipient,
      tokenMint: USDC.mint,
      amount: String(amount * CENT),
      ...('expires' in rest && { expiresAt: new Date(Date.now() + EXPIRES_AFTER_MS).toISOString() }),
    })
    if (paid > 0n) await pay(trackingId, paid)
  }

  const taken = await pay('coffee-taken-back', 450n)
  await waitUntilStored(baseUrl, taken.signature)
  await control('retracted', { signature: taken.signature, slot: taken.slot })

  const unread = makePayment('coffee-unreadable', 450n)
  await publisher.publish(JSON.stringify({ ...unread, data: { ...unread.data, amount: 'four fifty' } }))
  const slot = slotAt(nowMs - DAY_MS)
  await control('gap', { fromSlot: slot, toSlot: slot + 2, reason: 'NO_TRANSACTION' })
}

/** As on the chain: what happened this long ago is final. */
const FINAL_AFTER_MS = 13_000
const FINALIZED_EVERY_MS = 2_000

/** Says what is final, until the signal ends it. */
export async function finalize(publisher: Publisher, prefix: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const message = { slot: slotAt(Date.now() - FINAL_AFTER_MS) }
    await publisher.publish(JSON.stringify({ subject: controlSubjectOf(prefix, 'finalized'), message }))
    await sleep(FINALIZED_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}
