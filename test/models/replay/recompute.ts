// The actions of recompute.qnt as the store's functions, and the policy's row, its work and its payments as the model sees them.
// Each payment has another amount, so that the total tells how often each counts.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { commitBatch, runTaskPage, type Batch } from '@payment-tracking/store/ingest'
import { type Store } from '@payment-tracking/store/core'
import type { TestDatabase } from '@payment-tracking/testkit'
import { keyOf, PAYMENT, POLICY_CREATED } from '../../../packages/domain/test/messages.js'
import type { Bounds } from '../plans.js'
import { batchOf, batchWith, EMPTY, slotOf } from './chain-database.js'
import { differenceOf, replaySteps, type TraceStep, type TraceValue } from './read-traces.js'

/** The most payments that a transaction derives here. */
export const PAGE = 1
export const RECOMPUTE_BOUNDS: Bounds = { PAYMENTS: 'Set(1, 3, 5, 7)', RETRACTIONS: '3', PAGE: String(PAGE) }

const PAYMENTS = [1, 3, 5, 7]
const amountOf = (order: number): number => 10 ** PAYMENTS.indexOf(order)
const CREATED_TX = 100
const LEARN_TX = 200

export const learnBatch = (): Batch =>
  batchWith('UserPaymentCreated', { owner: keyOf(5), token_mint: keyOf(6) }, LEARN_TX, 0, LEARN_TX)
export const createdBatch = (order: number): Batch =>
  batchWith(
    'PaymentPolicyCreated',
    { ...POLICY_CREATED, user_payment: learnBatch().received[0]!.event.userPayment! },
    CREATED_TX + order,
    order,
    CREATED_TX + order,
  )
export const paymentBatch = (order: number): Batch =>
  batchWith(
    'PaymentRecord',
    {
      ...PAYMENT,
      payment_policy: createdBatch(0).received[0]!.event.paymentPolicy!,
      record_id: order,
      amount: String(amountOf(order)),
    },
    order,
    order,
    order,
  )
export const retractedBatch = (tx: number, order: number): Batch =>
  batchOf({ kind: 'retracted', tx, slot: order }, 500 + tx)

/** The place in the chain that an order begins with; '' is the beginning. */
const positionOf = (order: string | null): number =>
  order === null || order === '' ? -1 : parseInt(order.slice(0, 16), 16) - slotOf(0)

/** Replays one trace in a database that no other trace uses. @returns null, or the first step after which rows differ */
export async function replayRecompute(
  store: Store,
  { pool }: TestDatabase,
  trace: readonly TraceStep[],
): Promise<string | null> {
  await pool.query(`${EMPTY}; delete from user_payments`)
  const commit = (batch: Batch) => commitBatch(store, { ...batch, rowsAtOnce: PAGE })
  const actions: Record<string, (step: TraceStep) => Promise<unknown>> = {
    pay: ({ picks: { o } }) => commit(paymentBatch(o)),
    retract: ({ picks: { o } }) => commit(retractedBatch(o, o)),
    create: ({ picks: { c } }) => commit(createdBatch(c)),
    retractCreated: ({ picks: { c } }) => commit(retractedBatch(CREATED_TX + c, c)),
    learn: () => commit(learnBatch()),
    page: () =>
      runTaskPage(store, { programId: DEFAULT_PROGRAM_ID, sizer: { rowsOf: () => PAGE, note() {} } }),
  }

  const read = async (): Promise<TraceValue> => {
    const { rows } = await pool.query<{ found: TraceValue }>(
      `select json_build_object(
         'row', (select json_build_array(incarnation_start, total_paid::text) from policies),
         'work', (select json_build_array(cursor, state -> 'sums' is not null) from work where kind = 'policy'),
         'payments', coalesce((select json_agg(json_build_array(record_id::int, retracted_at is not null,
                                                                 token_mint is not null) order by record_id)
                                 from events where name = 'PaymentRecord'), '[]')) as found`,
    )
    const { row, work, payments } = rows[0]!.found
    return {
      row: [positionOf(row?.[0] ?? null), row?.[1] ?? '0'],
      work: work && [positionOf(work[0]), work[1]],
      payments,
    }
  }
  const expected = ({ payments, row, work }: TraceValue): TraceValue => ({
    row: [row.start, String(PAYMENTS.reduce((sum, order) => sum + row.sums[order] * amountOf(order), 0))],
    work: work.open ? [work.cursor, work.hasSums] : null,
    payments: payments
      .map(({ order, retracted, detail }: TraceValue) => [order, retracted, detail === 2])
      .sort(([a]: [number], [b]: [number]) => a - b),
  })

  return replaySteps(trace, async step => {
    await actions[step.action]!(step)
    return differenceOf(JSON.stringify(await read()), JSON.stringify(expected(step.state)))
  })
}
