// What gateways of small worlds expect, as fast-check draws it.
import fc from 'fast-check'
import { labelOf } from '@payment-tracking/testkit/oracle'
import { addressesOf, MINTS, RECIPIENTS } from './addresses.js'
import { BEGINNING, trackingIdOf } from './event-data.js'

const amount = fc.oneof(
  { weight: 4, arbitrary: fc.bigInt(1n, 300n) },
  { weight: 1, arbitrary: fc.bigInt(1n, 2n ** 64n - 1n) },
)
/** A moment of the history, from 0 to 1. */
const time = fc.nat(999).map(thousandths => thousandths / 1000)

const planOf = (worlds: number) =>
  fc.record({
    world: fc.nat(worlds - 1),
    gateway: fc.constantFrom(0, 0, 1),
    memo: fc.constantFrom('a' as const, 'a' as const, 'b' as const),
    amount,
    /** seconds after the world's beginning: all before the clock of the test */
    ends: fc.option(fc.constantFrom(3_600, 10 * 86_400, 60 * 86_400)),
    created: time,
    cancelled: fc.option(time, { freq: 2 }),
  })
export type ExpectationPlan = ReturnType<typeof planOf> extends fc.Arbitrary<infer T> ? T : never

/** Each costs four expectations, with a transaction for each. */
export const expectationPlans = (worlds: number) =>
  fc.array(planOf(worlds), { minLength: Math.ceil(worlds / 2), maxLength: worlds, size: 'max' })

export interface Expectation {
  gateway: string
  trackingId: string
  recipient: string
  tokenMint: string
  amount: bigint
  expiresAt: Date | null
  created: number
  cancelled: number | null
}

/** Names an expectation in every run. */
export const keyOfExpectation = ({ gateway, trackingId, recipient, tokenMint }: Expectation): string =>
  [gateway, trackingId, recipient, tokenMint].map(labelOf).join(' ')

/** Few payments have one recipient and one token: each plan is for all of them. A gateway uses the three once. */
export function expectationsOf(plans: readonly ExpectationPlan[]): Expectation[] {
  const byKey = new Map<string, Expectation>()
  const expected = (
    recipient: string,
    tokenMint: string,
    { world, gateway, memo, ends, ...plan }: ExpectationPlan,
  ) => {
    const expectation = {
      ...plan,
      gateway: addressesOf(world).gateways[gateway]!.address,
      trackingId: trackingIdOf(world, memo)!,
      recipient,
      tokenMint,
      expiresAt: ends === null ? null : new Date(BEGINNING + ends * 1000),
    }
    const key = keyOfExpectation(expectation)
    if (!byKey.has(key)) byKey.set(key, expectation)
  }
  for (const plan of plans)
    for (const recipient of RECIPIENTS) for (const mint of MINTS) expected(recipient, mint, plan)
  return [...byKey.values()]
}
