// One order that is expected, paid in part, and paid.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildAddress, buildChain, type ChainGateway } from '../../chain/index.js'
import { openGatewaySession } from '../dev-kit/index.js'
import { CENT, USDC } from '../tokens.js'
import { slotAt } from './shop-history.js'

interface Expectation {
  id: string
  state: string
  paidAmountString: string
}

const PRICE = 2_400n * CENT
const FIRST_PART = 1_000n * CENT
/** How long the service may take for one step. */
const PATIENCE_MS = 15_000
const CHECK_EVERY_MS = 250

/**
 * @param gateway is published already
 * @returns a line for each step
 */
export async function* playOrder(
  baseUrl: string,
  gateway: ChainGateway,
  { publish, programId }: { publish: (message: object) => Promise<unknown>; programId: string | undefined },
): AsyncGenerator<string> {
  const seed = randomUUID()
  const trackingId = `order-${seed.slice(0, 4)}`
  const chain = buildChain({ seed, ...(programId && { programId }), firstSlot: slotAt(Date.now()) })
  const recipient = buildAddress('till of the demo')
  const terms = { trackingId, recipient, tokenMint: USDC.mint, amount: PRICE.toString() }
  const session = await until(() => openGatewaySession(baseUrl, gateway.address, gateway.authority))
  const path = `/v1/gateway/${gateway.address}/expectations`
  const { id } = await session.ask<Expectation>('POST', path, terms)
  yield `${trackingId} expects ${inUsdc(PRICE)}`
  for (const amount of [FIRST_PART, PRICE - FIRST_PART]) {
    const payer = buildAddress(`${seed}/buyer`)
    await publish(
      chain.payDirectly({
        gateway: gateway.address,
        trackingId,
        recipient,
        tokenMint: USDC.mint,
        amount,
        payer,
      }),
    )
    const wanted = amount === FIRST_PART ? 'underpaid' : 'paid'
    const { state, paidAmountString } = await until(async () => {
      const record = await session.ask<Expectation>('GET', `${path}/${id}`)
      if (record.state !== wanted) throw new Error(`${trackingId} is ${record.state}, not ${wanted}`)
      return record
    })
    yield `${trackingId} is ${state}: ${inUsdc(BigInt(paidAmountString))} of ${inUsdc(PRICE)}`
  }
}

const inUsdc = (amount: bigint): string =>
  `${(Number(amount) / 10 ** USDC.decimals).toFixed(2)} ${USDC.symbol}`

/** @throws the error of the last try */
async function until<T>(step: () => Promise<T>): Promise<T> {
  for (const endsAt = Date.now() + PATIENCE_MS; ;) {
    try {
      return await step()
    } catch (error) {
      if (Date.now() > endsAt) throw error
      await sleep(CHECK_EVERY_MS)
    }
  }
}
