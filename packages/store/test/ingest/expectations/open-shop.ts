// A gateway that expects payments, in a database of its own: what tests of expectations do with it.
import { DEFAULT_PROGRAM_ID, type DeliveryRef } from '@payment-tracking/contracts'
import {
  buildAddress,
  buildBatch,
  buildChain,
  insertWebhook,
  type ChainMessage,
  type TestContext,
  type WebhookChoices,
  SENT,
} from '@payment-tracking/testkit'
import { commitBatch } from '../../../src/ingest/batch/commit-batch.js'
import { createExpectation, type NewExpectation } from '../../../src/admin/expectations/create-expectation.js'
import { expireExpectations } from '../../../src/messages/clock/expire-expectations.js'
import { readExpectation } from '../../../src/reads/expectations/list-expectations.js'
import { runTaskPage } from '../../../src/ingest/batch/do-work.js'
import { toCommittedExpectation } from '../../../src/core/tables/expectations.js'
import { type CommittedChanges, type ReceivedControl } from '../../../src/ingest/batch/batch.js'
import { type Store } from '../../../src/core/database/open-store.js'
import { openTestStore } from '../../open-test-store.js'

export const GATEWAY = buildAddress('gateway of the shop')
export const RECIPIENT = buildAddress('till of the shop')
export const MINT = buildAddress('token of the shop')

const TYPES = ['paid', 'underpaid', 'overpaid', 'expired', 'reopened'].map(type => `expectation.${type}`)

export interface PaymentTerms {
  trackingId?: string
  recipient?: string
  tokenMint?: string
  amount: bigint
  at?: Date
  gateway?: string
}

export interface Sent {
  type: string
  state: string
  paidAmountString: string
  paymentCount: number
  late: boolean
  finality: string | null
  payments: string[]
  changedAt: string
  eventId: string | null
  /** of the message */
  position: number | null
  id: string
}

/** @param wrap what the test sees of the store */
export async function openShop(t: TestContext, wrap: (opened: Store) => Store = opened => opened) {
  const { store: opened, pool } = await openTestStore(t)
  const store = wrap(opened)
  let now = Date.parse('2026-11-20T10:00:00Z')
  const chain = buildChain({ seed: 'shop', firstSlot: 1_000_000, now: () => now })
  let orders = 0

  const pay = (terms: PaymentTerms): ChainMessage => {
    if (terms.at) now = terms.at.getTime()
    return chain.payDirectly({
      gateway: GATEWAY,
      trackingId: `order-${orders}`,
      recipient: RECIPIENT,
      tokenMint: MINT,
      payer: buildAddress('buyer'),
      ...terms,
    })
  }
  const commit = (
    messages: readonly (ChainMessage & { commitment?: string })[],
    controls: readonly ReceivedControl['control'][] = [],
    rowsAtOnce?: number,
  ): Promise<CommittedChanges> => commitBatch(store, { ...buildBatch(messages, controls), rowsAtOnce })
  const retractionOf = ({ signature, slot }: ChainMessage) =>
    ({ kind: 'retracted', signature, slot }) as const

  const work = async (rows?: number): Promise<number> => {
    for (let pages = 0; ; pages++) {
      const sizer = rows === undefined ? undefined : { rowsOf: () => rows, note: () => {} }
      if ((await runTaskPage(store, { programId: DEFAULT_PROGRAM_ID, sizer })).length === 0) return pages
    }
  }
  const expect = (over: Partial<NewExpectation> = {}) =>
    createExpectation(store, {
      gateway: GATEWAY,
      trackingId: `order-${orders}`,
      recipient: RECIPIENT,
      tokenMint: MINT,
      amount: 100n,
      expiresAt: null,
      reference: null,
      ...over,
    })

  return {
    store,
    pool,
    pay,
    commit,
    retractionOf,
    /** The next order, of which nothing is known. */
    nextOrder: () => `order-${(orders += 1)}`,
    /** A request; ingest counts later. */
    expect,
    /** An expectation that ingest has counted. */
    async expectCounted(over: Partial<NewExpectation> = {}) {
      const { record } = await expect(over)
      await work()
      return (await readExpectation(store, record.id))!
    },
    /** What sockets are told of a batch. */
    async tell(messages: readonly ChainMessage[], controls: readonly ReceivedControl['control'][] = []) {
      const { expectations } = await commit(messages, controls)
      return expectations.map(each => ({ ...each, data: JSON.parse(each.data) as Sent }))
    },
    /** The public record, as it is shown. */
    async shown(id: string) {
      const committed = toCommittedExpectation((await readExpectation(store, id))!)
      return JSON.parse(committed.data) as Sent
    },
    idOf: async ({ signature }: ChainMessage) =>
      (await pool.query<{ id: string }>('select id from events where signature = $1', [signature])).rows[0]!
        .id,
    positionOf: async ({ signature }: ChainMessage) =>
      Number(
        (
          await pool.query<{ position: string }>('select position from events where signature = $1', [
            signature,
          ])
        ).rows[0]!.position,
      ),
    retract: (...messages: ChainMessage[]) => commit([], messages.map(retractionOf)),
    finalize: (message: ChainMessage) => commit([], [{ kind: 'finalized', slot: message.slot }]),
    /** Work until nothing is left. @returns how many pages */
    work,
    /** The scheduler's next round. @returns the deliveries of its pages */
    async check(limit = 500): Promise<DeliveryRef[][]> {
      const pages: DeliveryRef[][] = []
      await expireExpectations(store, {
        limit,
        onPage: ({ deliveries }) => {
          pages.push(deliveries)
          return Promise.resolve(true)
        },
      })
      return pages
    },
    /** The time of an expectation is over, although no time has passed. */
    passTime: (id: string) =>
      pool.query(
        `update expectations set expires_at = changed_at - interval '1 hour',
                next_check_at = case when next_check_at is not null then changed_at - interval '1 hour' end where id = $1`,
        [id],
      ),
    addWebhook: ({ gateway = GATEWAY, ...choices }: WebhookChoices & { gateway?: string } = {}) =>
      insertWebhook(pool, gateway, { types: TYPES, ...choices }),
    async sent(webhook: string): Promise<Sent[]> {
      const { rows } = await pool.query<{ type: string; body: string; message_id: string }>(
        `select type, body, message_id from ${SENT} d where webhook_id = $1 order by id`,
        [webhook],
      )
      return rows.map(({ type, body, message_id: id }) => {
        const { data, position } = JSON.parse(body) as { data: Sent; position: number | null }
        return { ...data, position, type: type.replace('expectation.', ''), id }
      })
    },
    forgetSent: () => pool.query('delete from deliveries'),
    async sums(id: string) {
      const { rows } = await pool.query<{ wrong: boolean; final_wrong: boolean }>(
        `select (x.paid_amount, x.payment_count) is distinct from
                  (coalesce(sum(e.amount), 0), count(e.id)) as wrong,
                (x.final_paid_amount, x.final_payment_count) is distinct from
                  (coalesce(sum(e.amount) filter (where p.final), 0), count(e.id) filter (where p.final)) as final_wrong
           from expectations x
           left join expected_payments p on p.expectation_id = x.id
           left join events e on e.id = p.event_id
          where x.id = $1 group by x.id`,
        [id],
      )
      return rows[0]!
    },
  }
}
