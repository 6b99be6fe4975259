// Counts payments for expectations. Which payments count is a table, expected_payments, so each counts once, whatever brings
// it: a batch, a recompute, a retraction, finality, or the creation of the expectation. The sums are kept by differences.
import { columnTable } from '../../core/database/columns.js'
import { sql, type Tx } from '../../core/database/sql.js'
import { EXPECTATION_COLUMNS, type ExpectationRow, type Over } from '../../core/tables/expectations.js'
import {
  NO_CHANGES,
  applyStates,
  unmoved,
  type ExpectationChanges,
  type Moved,
} from '../../messages/expectations/apply-states.js'

/** A payment that may count for an expectation, or has. */
export interface Pair {
  expectationId: string
  eventId: string
}

export interface RecountScope {
  /** the highest final slot */
  finalizedSlot: bigint
  /** the last position of an event when the transaction commits */
  position: bigint
  /** the expectations whose stored payments are all counted now */
  counted?: readonly string[]
}

interface PairRow extends Pair {
  amount: string
  occurredAt: Date
  slot: bigint
  position: bigint
  /** it is valid, and is what is expected */
  counts: boolean
  /** null where it does not count so far; else whether it counts as final */
  counted: boolean | null
  final: boolean
}

const PAIRS = columnTable<Pair>('q', {
  expectation_id: ['uuid', ({ expectationId }) => expectationId],
  event_id: ['uuid', ({ eventId }) => eventId],
})

/** Locks rows in the order of their ids, as everybody does who locks several. */
export async function lockExpectations(tx: Tx, ids: readonly string[]): Promise<ExpectationRow[]> {
  return tx.$queryRaw<ExpectationRow[]>(sql`
    select ${EXPECTATION_COLUMNS} from expectations x where x.id = any(${[...new Set(ids)]}::uuid[])
     order by x.id for no key update`)
}

/** A probe of the keys of events and expected_payments for each pair. */
const readPairs = (tx: Tx, pairs: readonly Pair[], finalizedSlot: bigint): Promise<PairRow[]> =>
  tx.$queryRaw<PairRow[]>(sql`
    select q.expectation_id::text as "expectationId", q.event_id::text as "eventId", e.amount::text as amount,
           e.occurred_at as "occurredAt", e.slot, e.position,
           e.retracted_at is null and x.cancelled_at is null
             and e.tracking_id is not distinct from x.tracking_id and e.recipient is not distinct from x.recipient
             and e.token_mint is not distinct from x.token_mint as counts,
           (select p.final from expected_payments p
             where p.expectation_id = q.expectation_id and p.occurred_at = e.occurred_at and p.slot = e.slot
               and p.event_id = q.event_id) as counted,
           e.commitment = 'finalized' or e.slot <= ${finalizedSlot} as final
      from ${PAIRS.listOf(pairs)}
     cross join lateral (select * from expectations where id = q.expectation_id limit 1) x
     cross join lateral (select * from events where id = q.event_id and amount is not null limit 1) e`)

/**
 * Counts pairs anew, writes the differences, and notifies of what changed. The caller holds the writer lock. Locks the rows of the
 * expectations.
 *
 * Bounded by the pairs, however many payments an expectation has.
 */
export async function recount(
  tx: Tx,
  pairs: readonly Pair[],
  { finalizedSlot, position, counted = [] }: RecountScope,
): Promise<ExpectationChanges> {
  const ids = [...pairs.map(({ expectationId }) => expectationId), ...counted]
  if (ids.length === 0) return NO_CHANGES
  const rows = await lockExpectations(tx, ids)
  const differing = pairs.length === 0 ? [] : (await readPairs(tx, pairs, finalizedSlot)).filter(isDifferent)
  const byId = new Map(rows.map(row => [row.id, unmoved(row)]))
  for (const id of counted) if (byId.has(id)) byId.get(id)!.after.counting = false
  for (const pair of differing) add(byId.get(pair.expectationId)!, pair)
  const touched = new Set([...differing.map(({ expectationId }) => expectationId), ...counted])
  const moved = [...byId].flatMap(([id, each]) => (touched.has(id) ? [each] : []))
  if (moved.length === 0) return NO_CHANGES
  return applyStates(tx, moved, {
    writer: 'ingest',
    now: rows[0]!.now,
    position,
    write: () => writePairs(tx, differing),
  })
}

/** What was final once stays so: the highest final slot never falls. */
const isDifferent = ({ counts, counted, final }: PairRow): boolean =>
  counts ? counted === null || (final && !counted) : counted !== null

function add({ after, causes }: Moved, { counts, counted, final, ...pair }: PairRow): void {
  const { terms, sums } = after
  // A cancelled expectation has no sums.
  if (terms.cancelledAt !== null) return
  const sign = counts ? 1n : -1n
  const isInTime = terms.expiresAt === null || pair.occurredAt <= terms.expiresAt
  const amount = sign * BigInt(pair.amount)
  const addTo = (over: Over) => {
    const sum = sums[over]
    sum.paidAmount += amount
    if (isInTime) sum.inTimeAmount += amount
    sum.paymentCount += sign
    causes.push({ over, isRise: counts, eventId: pair.eventId, at: pair.position })
  }
  if (!counts || counted === null) addTo('all')
  if (counts ? final : counted) addTo('final')
}

const COUNTED = columnTable<PairRow>('v', {
  expectation_id: ['uuid', ({ expectationId }) => expectationId],
  occurred_at: ['timestamptz', ({ occurredAt }) => occurredAt.toISOString()],
  slot: ['bigint', ({ slot }) => slot.toString()],
  event_id: ['uuid', ({ eventId }) => eventId],
  final: ['boolean', ({ final }) => final],
})

/** SQL: a model upserts one row in a statement. */
async function writePairs(tx: Tx, pairs: readonly PairRow[]): Promise<void> {
  const [counting, gone] = [pairs.filter(({ counts }) => counts), pairs.filter(({ counts }) => !counts)]
  if (counting.length > 0)
    await tx.$executeRaw(sql`
      insert into expected_payments (${COUNTED.names}) select ${COUNTED.names} from ${COUNTED.listOf(counting)}
      on conflict (expectation_id, occurred_at, slot, event_id) do update set final = excluded.final`)
  if (gone.length > 0)
    await tx.$executeRaw(sql`
      delete from expected_payments p using ${COUNTED.listOf(gone)}
       where p.expectation_id = v.expectation_id and p.occurred_at = v.occurred_at and p.slot = v.slot
         and p.event_id = v.event_id`)
}
