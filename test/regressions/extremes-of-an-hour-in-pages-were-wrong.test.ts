// The extremes of an hour with many payments are counted in pages. Meanwhile the hour became small and was counted at once,
// lost all its payments, or one of them got its token or another place. The pages went on from where they were: a token had no extremes of
// the day for good, or those of payments that no longer counted.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { commitBatch, rebuildProjections, runTaskPage, type Batch } from '@payment-tracking/store/ingest'
import { buildBatch, openTestStore } from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import {
  envelopeOf,
  keyOf,
  PAYMENT,
  POLICY_CREATED,
  type Members,
} from '../../packages/domain/test/messages.js'
import { signatureOf } from '../models/replay/chain-database.js'

const [GOLD, SILVER] = [keyOf(21), keyOf(22)]
const START = Date.parse('2026-03-01T12:00:00.000Z')
/** The place of everything about a policy; payments have numbers above it. */
const FIRST_SLOT = 1_000

/** A batch of one message. @param number its transaction, its slot and its minute of the hour */
const batchWith = (name: string, data: Members, number: number, index = 0): Batch =>
  buildBatch([
    envelopeOf(name, data, {
      slot: FIRST_SLOT + number,
      index,
      signature: signatureOf(number),
      program_id: DEFAULT_PROGRAM_ID,
      timestamp: new Date(START + number * 60_000).toISOString(),
    }),
  ])

const paid = (number: number, amount: number, others: Members = { token_mint: GOLD }, index = 0): Batch =>
  batchWith(
    'PaymentRecord',
    { ...PAYMENT, ...others, record_id: number, amount: String(amount) },
    number,
    index,
  )

const retracted = (...numbers: number[]): Batch =>
  buildBatch(
    [],
    numbers.map(number => ({ kind: 'retracted', signature: signatureOf(number), slot: FIRST_SLOT + number })),
  )

/** @param rows that a transaction counts at once */
async function openIngest(t: Test, rows: number) {
  const { store, pool } = await openTestStore(t)
  const figures = async (): Promise<string[]> => {
    const { rows: found } = await pool.query<{ row: string }>(
      `select t::text as row from (
         select gateway, span, start, token_mint, count, total, min, max from payment_token_stats
          union all select gateway, span, start, null, count, null, null, null from payment_stats) t
        order by 1`,
    )
    return found.map(({ row }) => row)
  }
  return {
    commit: async (...batches: Batch[]) => {
      for (const batch of batches) await commitBatch(store, { ...batch, rowsAtOnce: rows })
    },
    page: async () => {
      const sizer = { rowsOf: () => rows, note() {} }
      return (await runTaskPage(store, { programId: DEFAULT_PROGRAM_ID, sizer })).length > 0
    },
    figures,
    /** the figures as they are counted from nothing */
    rightFigures: async () => {
      await pool.query('delete from payment_stats')
      await pool.query('delete from payment_token_stats')
      await rebuildProjections(store, { programId: DEFAULT_PROGRAM_ID })
      return figures()
    },
  }
}

t.test('an hour that becomes small while it waits for its pages is whole', async t => {
  const { commit, page, figures, rightFigures } = await openIngest(t, 4)
  await commit(...[10, 20, 30].map((amount, at) => paid(1 + at, amount)))
  await commit(...[1, 2, 3].map((amount, at) => paid(4 + at, amount, { token_mint: SILVER })))
  await commit(retracted(1))
  await commit(retracted(4))
  while (await page());
  const found = await figures()
  t.strictSame(found, await rightFigures())
})

t.test(
  'a payment that gets its token while its hour is read counts among the extremes of the token',
  async t => {
    const { commit, page, figures, rightFigures } = await openIngest(t, 2)
    const account = batchWith('UserPaymentCreated', { owner: keyOf(5), token_mint: GOLD }, 9)
    const created = batchWith(
      'PaymentPolicyCreated',
      { ...POLICY_CREATED, user_payment: account.received[0]!.event.userPayment! },
      1,
    )
    const policy = created.received[0]!.event.paymentPolicy!
    await commit(created, paid(2, 1, { payment_policy: policy }))
    // Of other policies, so that the payment is no extreme of those whose token is not known.
    await commit(paid(3, 0, { payment_policy: keyOf(31) }), paid(4, 99, { payment_policy: keyOf(32) }))
    await commit(paid(5, 5), paid(6, 7), paid(7, 9), retracted(5))
    await page()
    await commit(account)
    while (await page());
    const found = await figures()
    t.strictSame(found, await rightFigures())
  },
)

t.test('an hour that lost all its payments while it was read, and has others now, has theirs', async t => {
  const { commit, page, figures, rightFigures } = await openIngest(t, 2)
  await commit(...[10, 20, 30, 40].map((amount, at) => paid(2 + at, amount)), retracted(2))
  await page()
  await commit(retracted(3, 4, 5), paid(1, 1))
  while (await page());
  const found = await figures()
  t.strictSame(found, await rightFigures())
})

t.test('an hour of which a payment moves after the page that read it counts each payment once', async t => {
  const { commit, page, figures, rightFigures } = await openIngest(t, 2)
  await commit(...[10, 20, 30, 40].map((amount, at) => paid(2 + at, amount)), retracted(2))
  await page()
  // A copy knows the index of the payment that was read last; and a payment comes late.
  await commit(paid(3, 20, { token_mint: GOLD }, 5), paid(1, 1))
  while (await page());
  const found = await figures()
  t.strictSame(found, await rightFigures())
})
