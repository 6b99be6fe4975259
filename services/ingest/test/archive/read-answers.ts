// What readers are answered of everything that archiving must not change.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import {
  checkPayments,
  countEvents,
  listClaimablePayments,
  listEventNames,
  findSubscribers,
  listOneTimePayments,
  listSubscribers,
  listSubscriptions,
  readLifeStart,
  readPaymentsBySeq,
  readPaymentStats,
  readRetractionsOf,
  readSubscriptions,
  type GatewaySubscriptions,
  readVolume,
  replaySubscriptions,
} from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'
import type { Pool } from '@payment-tracking/testkit'

const DAY = 86_400
const CLOCK = { nowSeconds: 1_795_000_000, graceSeconds: 7_200, programId: DEFAULT_PROGRAM_ID }
const keysOf = async (pool: Pool, column: string): Promise<string[]> =>
  (
    await pool.query<{ key: string }>(
      `select distinct ${column} as key from events where ${column} is not null order by 1`,
    )
  ).rows.map(({ key }) => key)

export async function readAnswers(store: Store, pool: Pool): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {
    names: await listEventNames(store),
    count: await countEvents(store, {}),
    edges: await countEvents(store, {
      startTime: new Date('2025-02-03T04:05:06Z'),
      endTime: new Date('2026-03-10T11:12:13Z'),
    }),
    stats: await readPaymentStats(store, {}),
  }
  for (const name of await listEventNames(store))
    answers[`count ${name}`] = await countEvents(store, { name })
  for (const trackingId of await keysOf(pool, 'tracking_id')) {
    answers[`payments ${trackingId}`] = await listOneTimePayments(
      store,
      trackingId,
      { limit: 1000, offset: 0, retracted: true },
      new Map(),
    )
    answers[`check ${trackingId}`] = await checkPayments(store, trackingId, { amount: '500' }, new Map())
    answers[`seqs ${trackingId}`] = await readPaymentsBySeq(store, [{ trackingId, from: 1, to: 200 }])
    answers[`retracted ${trackingId}`] = await readRetractionsOf(store, [trackingId])
    answers[`claims ${trackingId}`] = await listClaimablePayments(store, { trackingId }, 100)
    answers[`policies ${trackingId}`] = await listSubscriptions(store, { trackingId }, { limit: 100 })
  }
  for (const gateway of await keysOf(pool, 'gateway')) {
    const page = { limit: 1000, offset: 0 }
    answers[`count ${gateway}`] = await countEvents(store, { gateway })
    answers[`stats ${gateway}`] = await readPaymentStats(store, { gateway })
    answers[`stats of a time ${gateway}`] = await readPaymentStats(store, {
      gateway,
      startTime: new Date('2025-02-03T04:05:06Z'),
      endTime: new Date('2026-03-10T11:12:13Z'),
    })
    answers[`subscribers ${gateway}`] = await listSubscribers(store, gateway, page, CLOCK)
    answers[`never paid ${gateway}`] = await findSubscribers(store, gateway, { neverPaid: true }, page, CLOCK)
    answers[`life ${gateway}`] = await readLifeStart(store, gateway)
    answers[`volume ${gateway}`] = await readVolume(store, gateway, {
      from: Date.UTC(2024, 0) / 1000,
      to: Date.UTC(2027, 0) / 1000 + DAY / 2,
      size: 'week',
    })
    const pages: GatewaySubscriptions[] = []
    for await (const page of readSubscriptions(store, gateway)) pages.push(page)
    answers[`subscriptions ${gateway}`] = pages
    answers[`replay ${gateway}`] = await Promise.all(
      pages.map(page => replaySubscriptions(store, page, { gateway, programId: DEFAULT_PROGRAM_ID })),
    )
  }
  return answers
}
