// The past of a small shop: monthly and yearly plans in USDC, single coffees, and customers who come, pause and leave. The same
// day and seed make the same messages, so that publishing them again changes nothing.
import {
  buildAddress,
  buildChain,
  type ChainGateway,
  type ChainMessage,
  type ChainPolicy,
  type KeyPair,
} from '../../chain/index.js'
import { CENT, USDC, USDT_MINT } from '../tokens.js'

export const SHOP_NAME = 'Bean There Coffee (demo)'
const DAYS = 90
const DAY_MS = 86_400_000

interface Customer {
  name: string
  plan: 'monthly' | 'yearly'
  /** Days ago. */
  joined: number
  /** Stops paying so many days ago: pauses, leaves, or simply does not pay any more. */
  ends?: { ago: number; how: 'pauses' | 'leaves' | 'owes' }
}

const CUSTOMERS: readonly Customer[] = [
  { name: 'ada', plan: 'monthly', joined: 88 },
  { name: 'grace', plan: 'monthly', joined: 85 },
  { name: 'linus', plan: 'yearly', joined: 80 },
  { name: 'margaret', plan: 'monthly', joined: 76 },
  { name: 'alan', plan: 'monthly', joined: 71, ends: { ago: 30, how: 'leaves' } },
  { name: 'barbara', plan: 'yearly', joined: 64 },
  { name: 'dennis', plan: 'monthly', joined: 58, ends: { ago: 27, how: 'pauses' } },
  { name: 'radia', plan: 'monthly', joined: 47 },
  { name: 'edsger', plan: 'monthly', joined: 41, ends: { ago: 15, how: 'owes' } },
  { name: 'katherine', plan: 'yearly', joined: 33 },
  { name: 'tim', plan: 'monthly', joined: 29 },
  { name: 'hedy', plan: 'monthly', joined: 12 },
]

const PLANS = {
  monthly: { amount: 999n * CENT, frequency: 'Monthly' },
  yearly: { amount: 9_900n * CENT, frequency: 'Annually' },
} as const
const COFFEE = 450n * CENT
/** On the last days, and on the first ones. */
export const COFFEES_A_DAY = 30
const FEWEST_A_DAY = 6

/** Slots grow by about 2.5 a second. */
export const slotAt = (ms: number): number => Math.floor(ms / 400)

export interface ShopHistory {
  gateway: ChainGateway
  /** The wallet that the shop is paid to. */
  recipient: string
  messages: ChainMessage[]
}

/** The next due date of a monthly or yearly plan, in milliseconds. */
function nextDue(dueMs: number, plan: Customer['plan']): number {
  const due = new Date(dueMs)
  const day = due.getUTCDate()
  due.setUTCDate(1)
  due.setUTCMonth(due.getUTCMonth() + (plan === 'yearly' ? 12 : 1))
  const lastDay = new Date(Date.UTC(due.getUTCFullYear(), due.getUTCMonth() + 1, 0)).getUTCDate()
  return due.setUTCDate(Math.min(day, lastDay))
}

/**
 * @param options.seed of all addresses
 * @param options.authority the key of the shop's gateway; one of the seed without it
 * @param options.endMs the history ends then
 */
export async function buildShopHistory(options: {
  seed: string
  endMs: number
  programId?: string | undefined
  authority?: KeyPair | undefined
}): Promise<ShopHistory> {
  const { seed, endMs, programId, authority } = options
  let clockMs = endMs - DAYS * DAY_MS
  const chain = buildChain({
    seed,
    ...(programId && { programId }),
    firstSlot: slotAt(clockMs),
    now: () => clockMs,
  })
  const gateway = await chain.openGateway(SHOP_NAME, authority)
  const recipient = gateway.authority.publicKey
  const steps: { atMs: number; make: () => ChainMessage[] }[] = []
  const at = (atMs: number, make: () => ChainMessage[]) => atMs < endMs && steps.push({ atMs, make })

  for (const [index, { name, plan, joined, ends }] of CUSTOMERS.entries()) {
    const joinedMs = endMs - joined * DAY_MS + index * 3_600_000
    clockMs = joinedMs
    const wallet = await chain.openUserPayment(USDC.mint)
    const policy: ChainPolicy = await chain.openPolicy(gateway, wallet, {
      trackingId: `${name}-${plan}`,
      recipient,
      ...PLANS[plan],
    })
    at(joinedMs, () => [wallet.created, policy.created])
    const endedMs = ends ? endMs - ends.ago * DAY_MS : Infinity
    for (let dueMs = joinedMs; dueMs < Math.min(endMs, endedMs); dueMs = nextDue(dueMs, plan))
      // The gateway executes a payment some minutes after it is due.
      at(dueMs + 300_000, () => [chain.pay(policy)])
    if (ends?.how === 'pauses') at(endedMs, () => [chain.changeStatus(policy, 'Active', 'Paused')])
    if (ends?.how === 'leaves') at(endedMs, () => [chain.deletePolicy(policy)])
  }
  const guests = Array.from({ length: 20 }, (_, guest) => buildAddress(`${seed}/guest/${guest}`))
  for (let day = DAYS - 1; day > 0; day -= 1) {
    // More coffees toward today, fewer each seventh day.
    const most = FEWEST_A_DAY + Math.floor(((DAYS - day) * (COFFEES_A_DAY - FEWEST_A_DAY)) / (DAYS - 1))
    const cups = day % 7 === 0 ? Math.ceil(most / 2) : most
    for (let cup = 0; cup < cups; cup += 1)
      at(endMs - day * DAY_MS + (cup * DAY_MS) / cups, () => [
        chain.payDirectly({
          gateway: gateway.address,
          trackingId: `coffee-${DAYS - day}-${cup + 1}`,
          amount: COFFEE * BigInt(1 + ((day + cup) % 2)),
          payer: guests[(day + cup) % guests.length]!,
          recipient,
          tokenMint: cup % 5 === 4 ? USDT_MINT : USDC.mint,
        }),
      ])
  }

  const messages = [gateway.created]
  for (const { atMs, make } of steps.sort((a, b) => a.atMs - b.atMs)) {
    clockMs = atMs
    messages.push(...make())
  }
  // Accounts were made before their place in time was known.
  for (const message of messages) message.slot = slotAt(Date.parse(message.timestamp))
  return { gateway, recipient, messages }
}
