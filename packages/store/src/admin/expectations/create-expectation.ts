// A gateway says what it expects.
import { ServiceError } from '@payment-tracking/runtime'
import type { ExpectationRecord } from '@payment-tracking/domain'
import {
  runIn,
  sql,
  type ClientTx,
  type Store,
  type TransactionLimits,
  type Tx,
} from '../../core/database/sql.js'
import { readOpen } from '../../core/tables/expectation-counts.js'
import { readExpectations } from '../../core/tables/expectations.js'

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
  /** payments of its tracking ID are stored, and are being counted: the record may say more in a moment */
  awaitsCount: boolean
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

/** Creations of a gateway near its limit wait for each other. */
const CREATION_LIMITS: TransactionLimits = { maxWait: 10_000, timeout: 10_000 }
/** So near to the limit, creations of one gateway wait for each other, and for nobody else. */
const MARGIN = 1_000

/**
 * Creates an expectation. Ingest counts the payments that are stored already (expectation-work.ts). Until then webhooks are told
 * nothing, and the record says what is known.
 *
 * The transaction inserts rows and changes none. Its only lock is that of the gateway's own creations. So ingest never waits for a
 * process that is paused in this transaction.
 * @param checkNew called when the expectation is new. When it throws, nothing is written
 * @throws ExpectationExistsError, TooManyExpectationsError: nothing is written
 */
export const createExpectation = (
  { database }: Store,
  wanted: NewExpectation,
  checkNew: () => void = () => {},
): Promise<CreatedExpectation> =>
  database.transaction(async tx => {
    const created = await insert(tx, wanted)
    if (created) {
      checkNew()
      await checkLimit(tx, wanted.gateway)
    }
    const { gateway, trackingId, recipient, tokenMint } = wanted
    const [found] = await readExpectations(
      runIn(tx),
      sql`where x.gateway = ${gateway} and x.tracking_id = ${trackingId} and x.recipient = ${recipient}
            and x.token_mint = ${tokenMint}`,
    )
    const { record, counting } = found!
    if (!created && !isSame(record, wanted)) throw new ExpectationExistsError(record.id)
    return { record, isNew: created !== null, awaitsCount: created?.isTracked ?? counting }
  }, CREATION_LIMITS)

/** @returns whether payments of its tracking ID are stored; null where the gateway has used the triple */
async function insert(tx: ClientTx, wanted: NewExpectation): Promise<{ isTracked: boolean } | null> {
  const { gateway, trackingId, recipient, tokenMint, expiresAt, reference } = wanted
  const amount = wanted.amount.toString()
  const [created] = await tx.expectation.createManyAndReturn({
    data: { gateway, trackingId, recipient, tokenMint, amount, expiresAt, reference, counting: true },
    skipDuplicates: true,
    select: { id: true },
  })
  if (!created) return null
  await tx.work.create({ data: { kind: 'expectation', key: created.id, gateway }, select: { key: true } })
  return { isTracked: (await tx.tracking.count({ where: { trackingId, head: { gt: 0 } } })) > 0 }
}

const isSame = (record: ExpectationRecord, wanted: NewExpectation): boolean =>
  record.amount === wanted.amount &&
  record.expiresAt === (wanted.expiresAt?.toISOString() ?? null) &&
  record.reference === wanted.reference

/** @throws TooManyExpectationsError */
async function checkLimit(tx: Tx, gateway: string): Promise<void> {
  let open = await readOpen(tx, gateway, OPEN_EXPECTATIONS)
  if (open > OPEN_EXPECTATIONS - MARGIN && open <= OPEN_EXPECTATIONS) {
    await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`expectations ${gateway}`}, 0))`
    open = await readOpen(tx, gateway, OPEN_EXPECTATIONS)
  }
  if (open > OPEN_EXPECTATIONS) throw new TooManyExpectationsError()
}
