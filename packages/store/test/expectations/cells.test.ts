// Every change of the state of an expectation, by the statements that production runs: its notices.
import { EXPECTATION_STATES, NOTICES, type ExpectationState } from '@payment-tracking/domain'
import type { ChainMessage } from '@payment-tracking/testkit'
import t from 'tap'
import { cancelExpectation, ExpectationPaidError, readExpectation } from '../../src/index.js'
import { GATEWAY, openShop } from './open-shop.js'

const shop = await openShop(t)
const webhook = await shop.addWebhook()
const whenFinal = await shop.addWebhook({ finality: 'finalized' })

interface Way {
  /** amounts of payments; 100 are expected */
  paid: bigint[]
  /** the time is over before the change */
  past?: boolean
  /** of the change */
  pays?: bigint[]
  retracts?: number[]
  passes?: boolean
  cancels?: boolean
}

/** How each cell is reached. */
const WAYS: Record<ExpectationState, Partial<Record<ExpectationState, Way>>> = {
  open: {
    open: { paid: [], pays: [0n] },
    underpaid: { paid: [], pays: [30n] },
    paid: { paid: [], pays: [30n, 70n] },
    overpaid: { paid: [], pays: [2n ** 64n - 1n, 2n ** 64n - 1n] },
    expired: { paid: [], passes: true },
    cancelled: { paid: [], cancels: true },
  },
  underpaid: {
    open: { paid: [30n], retracts: [0] },
    underpaid: { paid: [30n], pays: [30n] },
    paid: { paid: [30n], pays: [70n] },
    overpaid: { paid: [30n], pays: [71n] },
    expired: { paid: [30n], passes: true },
  },
  paid: {
    open: { paid: [100n], retracts: [0] },
    underpaid: { paid: [30n, 70n], retracts: [1] },
    paid: { paid: [100n], pays: [0n] },
    overpaid: { paid: [100n], pays: [1n] },
    expired: { paid: [30n, 70n], past: true, retracts: [0] },
  },
  overpaid: {
    open: { paid: [101n], retracts: [0] },
    underpaid: { paid: [60n, 60n], retracts: [0] },
    paid: { paid: [100n, 20n], retracts: [1] },
    overpaid: { paid: [101n], pays: [1n] },
    expired: { paid: [101n], past: true, retracts: [0] },
  },
  expired: {
    paid: { paid: [30n], past: true, pays: [70n] },
    overpaid: { paid: [], past: true, pays: [101n] },
    expired: { paid: [30n], past: true, pays: [30n] },
    cancelled: { paid: [], past: true, cancels: true },
  },
  cancelled: { cancelled: { paid: [], pays: [100n] } },
}

async function change(way: Way, id: string, paid: ChainMessage[]): Promise<ChainMessage[]> {
  if (way.passes) {
    await shop.passTime(id)
    await shop.look()
  }
  if (way.cancels) await cancelExpectation(shop.store, GATEWAY, id)
  const pays = (way.pays ?? []).map(amount => shop.pay({ amount }))
  if (pays.length > 0) await shop.commit(pays)
  if (way.retracts) await shop.retract(...way.retracts.map(nth => paid[nth]!))
  return pays
}

for (const before of EXPECTATION_STATES)
  for (const after of EXPECTATION_STATES) {
    const way = WAYS[before][after]
    t.test(`${before} to ${after}`, async t => {
      if (!way) {
        t.same(NOTICES[before][after], [], 'what cannot happen sends nothing')
        return
      }
      const trackingId = shop.nextOrder()
      const expiresAt = new Date(Date.now() + 3_600_000)
      const { record } = await shop.expect({ trackingId, expiresAt })
      const paid = way.paid.map(amount => shop.pay({ amount }))
      await shop.commit(paid)
      if (way.past) {
        await shop.passTime(record.id)
        await shop.look()
      }
      if (before === 'cancelled') await cancelExpectation(shop.store, GATEWAY, record.id)
      t.equal((await readExpectation(shop.store, record.id))?.record.state, before)
      await shop.forgetSent()

      const pays = await change(way, record.id, paid)
      const read = (await readExpectation(shop.store, record.id))!.record
      t.equal(read.state, after)
      const sent = await shop.sent(webhook)
      t.same(
        sent.map(({ type }) => `expectation.${type}`),
        NOTICES[before][after],
      )
      t.same(new Set(sent.map(({ state }) => state)), new Set(sent.length > 0 ? [after] : []))
      for (const { paidAmountString, payments } of sent) {
        t.equal(paidAmountString, read.paidAmountString)
        t.same(payments, read.payments)
      }
      t.same(await shop.sums(record.id), { wrong: false, final_wrong: false })
      await shop.look()
      t.equal((await shop.sent(webhook)).length, sent.length, 'nothing is sent twice')
      if (before !== 'cancelled' && read.paidAmount > 0n)
        await t.rejects(cancelExpectation(shop.store, GATEWAY, record.id), new ExpectationPaidError())

      const standing = [...paid.filter((_, nth) => !way.retracts?.includes(nth)), ...pays]
      const last = standing.at(-1)
      if (last && after !== 'cancelled') {
        await shop.finalize(last)
        t.equal((await readExpectation(shop.store, record.id))?.record.finality, 'finalized')
        const [final] = (await shop.sent(whenFinal)).slice(-1)
        // What expired before its parts were final stays so.
        if (after !== 'open' && after !== 'expired')
          t.match(final, { state: after, paidAmountString: read.paidAmountString })
        t.same(await shop.sums(record.id), { wrong: false, final_wrong: false })
      }
      await shop.forgetSent()
    })
  }
