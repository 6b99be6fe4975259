// A gateway says what it expects, or that it expects it no longer.
import { ServiceError } from '@payment-tracking/runtime'
import type { DeliveryRef } from '@payment-tracking/contracts'
import type { ExpectationRecord } from '@payment-tracking/domain'
import { runIn } from '../database/database.js'
import type { Store } from '../database/open-store.js'
import { inline, sql, type Tx } from '../database/sql.js'
import { lockHead } from '../rows/head.js'
import { countStored } from './expectation-work.js'
import { readExpectations } from './expectation-rows.js'

/** Of one gateway, in the state `open`. */
export const OPEN_EXPECTATIONS = 100_000

export interface NewExpectation {
  gateway: string
  trackingId: string
  recipient: string
  tokenMint: string
  amount: bigint
  expiresAt: Date | null
  reference: string | null
}

export interface CreatedExpectation {
  record: ExpectationRecord
  /** false: the same was created before */
  isNew: boolean
  deliveries: DeliveryRef[]
}

export class ExpectationExistsError extends ServiceError {
  readonly code = 'EXPECTATION_EXISTS'
  readonly retry = 'never'

  constructor(readonly id: string) {
    super(`The gateway has used this tracking ID, recipient and token for another expectation: ${id}.`)
  }
}

export class TooManyExpectationsError extends ServiceError {
  readonly code = 'TOO_MANY_EXPECTATIONS'
  readonly retry = 'never'

  constructor() {
    super(`A gateway has at most ${OPEN_EXPECTATIONS} open expectations; cancel some, or let them expire.`)
  }
}

/** Stored payments that the request counts itself. */
const COUNTED_AT_ONCE = 500
/** So near to the limit, creations of one gateway wait for each other, and for nobody else. */
const MARGIN = 1_000

/**
 * Creates an expectation, and counts the payments that are stored already: all, or a first page, and the rest becomes work.
 *
 * It takes the writer lock once the row is written: a batch that has the lock before it is seen here, and a batch that has
 * it afterwards sees the row. Under the lock it looks at 500 stored payments at most.
 * @param checkNew called where it is new; what it throws leaves nothing
 * @throws ExpectationExistsError, TooManyExpectationsError: nothing is written
 */
export const createExpectation = (
  { database }: Store,
  wanted: NewExpectation,
  checkNew: () => void = () => {},
): Promise<CreatedExpectation> =>
  database.transaction(
    async tx => {
      const id = await insert(tx, wanted)
      if (id === null) return { ...(await findSame(tx, wanted)), isNew: false, deliveries: [] }
      checkNew()
      await checkLimit(tx, wanted.gateway)
      const { finalizedSlot } = await lockHead(tx)
      await tx.$executeRaw`
        insert into trackings (tracking_id, head, expected) values (${wanted.trackingId}, 0, true)
        on conflict (tracking_id) do update set expected = true`
      const { news, next } = await countStored(tx, id, { cursor: '', limit: COUNTED_AT_ONCE, finalizedSlot })
      if (next !== null)
        await tx.$executeRaw`insert into work (kind, key, cursor) values ('expectation', ${id}, ${next})`
      const [created] = await readExpectations(runIn(tx) as never, sql`where x.id = ${id}::uuid`)
      return { record: created!.record, isNew: true, deliveries: news.deliveries }
    },
    { maxWait: 10_000, timeout: 10_000 },
  )

/** @returns null where the gateway has used the triple */
async function insert(tx: Tx, wanted: NewExpectation): Promise<string | null> {
  const { gateway, trackingId, recipient, tokenMint, amount, expiresAt, reference } = wanted
  const [row] = await tx.$queryRaw<{ id: string }[]>`
    insert into expectations as x (gateway, tracking_id, recipient, token_mint, amount, expires_at, reference, counting)
    values (${gateway}, ${trackingId}, ${recipient}, ${tokenMint}, ${amount.toString()}::numeric,
            ${expiresAt?.toISOString() ?? null}::timestamptz, ${reference}, true)
    on conflict (gateway, tracking_id, recipient, token_mint) do nothing
    returning x.id::text as id`
  return row?.id ?? null
}

async function findSame(tx: Tx, wanted: NewExpectation): Promise<{ record: ExpectationRecord }> {
  const { gateway, trackingId, recipient, tokenMint } = wanted
  const [found] = await readExpectations(
    runIn(tx) as never,
    sql`where x.gateway = ${gateway} and x.tracking_id = ${trackingId} and x.recipient = ${recipient}
          and x.token_mint = ${tokenMint}`,
  )
  const { record } = found!
  const isSame =
    record.amount === wanted.amount &&
    record.expiresAt === (wanted.expiresAt?.toISOString() ?? null) &&
    record.reference === wanted.reference
  if (!isSame) throw new ExpectationExistsError(record.id)
  return { record }
}

/** Before the writer lock, because the limit is counted. @throws TooManyExpectationsError */
async function checkLimit(tx: Tx, gateway: string): Promise<void> {
  let open = await countOpen(tx, gateway)
  if (open > OPEN_EXPECTATIONS - MARGIN && open <= OPEN_EXPECTATIONS) {
    await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`expectations ${gateway}`}, 0))`
    open = await countOpen(tx, gateway)
  }
  if (open > OPEN_EXPECTATIONS) throw new TooManyExpectationsError()
}

/** At most one more than the limit. Relies on expectations_state. */
async function countOpen(tx: Tx, gateway: string): Promise<number> {
  const [row] = await tx.$queryRaw<{ count: number }[]>`
    select count(*)::integer as count from (
      select from expectations where gateway = ${gateway} and state = 'open'
       limit ${inline(OPEN_EXPECTATIONS + 1)}) o`
  return row!.count
}
