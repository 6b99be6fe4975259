// A made-up market that never ends: gateways of a few merchants, customers who sign up for plans of seconds
// instead of months, pay when they are due, pause, come back and leave.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildChain, type ChainGateway, type ChainMessage, type ChainPolicy } from '../../chain/index.js'
import { CENT, USDC } from '../tokens.js'
import { slotAt } from './shop-history.js'

export interface FeedPayment {
  signature: string
  trackingId: string
  amount: bigint
  merchant: string
}

export interface Feed {
  /** The gateways, with the messages that open them. */
  gateways: ChainGateway[]
  /** What happens next; ends when the signal does. */
  play(
    signal: AbortSignal,
  ): AsyncGenerator<{ messages: ChainMessage[]; story: string; payment?: FeedPayment }>
}

interface Merchant {
  name: string
  /** Names of plans and their prices in hundredths of the token. */
  plans: readonly (readonly [plan: string, cents: bigint])[]
}

const MERCHANTS: readonly Merchant[] = [
  {
    name: 'Bean There Coffee',
    plans: [
      ['espresso', 450n],
      ['beans', 1_800n],
    ],
  },
  {
    name: 'Slow News Weekly',
    plans: [
      ['reader', 700n],
      ['patron', 2_500n],
    ],
  },
  {
    name: 'Cloudy Backups',
    plans: [
      ['solo', 299n],
      ['team', 4_900n],
    ],
  },
]

/** Plans come due after this many seconds, so that the demo shows payments soon. */
const PERIODS_S = [4, 7, 12]
/** The plan of the only customer, when a tracking ID is given. */
const NAMED_PERIOD_S = 2
const MAX_CUSTOMERS = 12

const pick = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)]!

interface Customer {
  policy: ChainPolicy
  merchant: string
  periodMs: number
  dueAtMs: number
  paused: boolean
}

export interface FeedOptions {
  /** The mean time between two events. */
  paceMs: number
  programId?: string | undefined
  /** Only this customer signs up and pays; without it, customers are invented. */
  trackingId?: string | undefined
}

export async function buildFeed({ paceMs, programId, trackingId }: FeedOptions): Promise<Feed> {
  // A new seed each time: a repeated demo has new customers, not duplicates of the previous customers.
  const chain = buildChain({
    seed: randomUUID(),
    ...(programId && { programId }),
    firstSlot: slotAt(Date.now()),
  })
  const tokenMint = USDC.mint
  const gateways: ChainGateway[] = []
  for (const { name } of MERCHANTS) gateways.push(await chain.openGateway(`${name} (demo)`))
  const customers: Customer[] = []
  let serial = 0

  const [fewest, most] = trackingId ? [1, 1] : [3, MAX_CUSTOMERS]
  const signUp = async () => {
    const index = Math.floor(Math.random() * MERCHANTS.length)
    const merchant = MERCHANTS[index]!
    const [plan, cents] = pick(merchant.plans)
    const periodS = trackingId ? NAMED_PERIOD_S : pick(PERIODS_S)
    const userPayment = await chain.openUserPayment(tokenMint)
    const policy = await chain.openPolicy(gateways[index]!, userPayment, {
      trackingId: trackingId ?? `${plan}-${serial}-${userPayment.owner.slice(0, 4)}`,
      amount: cents * CENT,
      frequency: periodS,
    })
    serial += 1
    customers.push({
      policy,
      merchant: merchant.name,
      periodMs: periodS * 1000,
      dueAtMs: Date.now(),
      paused: false,
    })
    return {
      messages: [userPayment.created, policy.created],
      story: `${policy.trackingId} signs up at ${merchant.name}, ${periodS} s plan`,
    }
  }

  const pay = (customer: Customer) => {
    const { policy, merchant } = customer
    customer.dueAtMs += customer.periodMs
    const message = chain.pay(policy)
    const { trackingId, amount } = policy
    return {
      messages: [message],
      story: `${trackingId} pays ${merchant}`,
      payment: { signature: message.signature, trackingId, amount, merchant },
    }
  }

  const changeMind = () => {
    const customer = pick(customers)
    const { policy, paused } = customer
    if (paused || Math.random() < 0.6) {
      customer.paused = !paused
      customer.dueAtMs = Date.now()
      return {
        messages: [chain.changeStatus(policy, paused ? 'Paused' : 'Active', paused ? 'Active' : 'Paused')],
        story: `${policy.trackingId} ${paused ? 'comes back' : 'pauses'}`,
      }
    }
    customers.splice(customers.indexOf(customer), 1)
    return { messages: [chain.deletePolicy(policy)], story: `${policy.trackingId} leaves` }
  }

  return {
    gateways,
    async *play(signal) {
      while (!signal.aborted) {
        const due = customers.find(({ paused, dueAtMs }) => !paused && dueAtMs <= Date.now())
        if (customers.length < fewest || (customers.length < most && Math.random() < 0.15))
          yield await signUp()
        else if (due) yield pay(due)
        else if (!trackingId && Math.random() < 0.08) yield changeMind()
        await sleep(paceMs * (0.5 + Math.random()), undefined, { signal }).catch(() => {})
      }
    },
  }
}
