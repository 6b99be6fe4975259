// Gaps that may still close: transactions that no node returned whole, and missing numbers. The checkpoint stores them.
// A gap closes as soon as its missing part is published, however the indexer found that part.
import type { FetchedTransaction } from '../nodes/fetch-transaction.js'
import type { GapRange } from '../publish/publisher.js'
import { numberOf, type CounterHole } from './counter-audit.js'

export interface UnreadTransaction {
  signature: string
  slot: number
}

export interface OpenGaps {
  transactions: UnreadTransaction[]
  holes: CounterHole[]
}

/** The checkpoint is one message of at most 1 MiB, NATS's default limit; the rest is reserve. */
const MOST_BYTES = 700_000
const TRANSACTION_BYTES = 140
const HOLE_BYTES = 520
/** ten digits and a comma */
const NUMBER_BYTES = 11
/** How many of each kind one rescan tries again, so that following the chain never waits long. */
const TRIED_AT_ONCE = 200

const sizeOf = (gap: UnreadTransaction | CounterHole): number =>
  'account' in gap ? HOLE_BYTES + gap.missing.length * NUMBER_BYTES : TRANSACTION_BYTES

const isOfRange = (a: GapRange, b: GapRange): boolean => a.fromSlot === b.fromSlot && a.toSlot === b.toSlot

/**
 * Takes published transactions.
 * @returns the gaps that are still open, and the gaps that these transactions closed
 */
export function closeBy(
  open: OpenGaps,
  published: readonly FetchedTransaction[],
): { open: OpenGaps; closed: GapRange[] } {
  const signatures = new Set(
    published.filter(({ gaps }) => gaps.length === 0).map(({ transaction }) => transaction.signature),
  )
  const read = open.transactions.filter(({ signature }) => signatures.has(signature))
  const numbers = new Set(
    published.flatMap(({ events }) =>
      events.flatMap(event => {
        const numbered = numberOf(event)
        return numbered ? [`${numbered.field} ${numbered.account} ${numbered.number}`] : []
      }),
    ),
  )
  const holes = open.holes.map(hole => {
    const missing = hole.missing.filter(number => !numbers.has(`${hole.field} ${hole.account} ${number}`))
    return missing.length === hole.missing.length ? hole : { ...hole, missing }
  })
  const left = holes.filter(({ missing }) => missing.length > 0)
  const filled = holes.filter(({ missing }) => missing.length === 0)
  return {
    open: {
      transactions: open.transactions.filter(({ signature }) => !signatures.has(signature)),
      holes: left,
    },
    closed: [
      ...read.map(({ signature, slot }) => ({ signature, fromSlot: slot, toSlot: slot })),
      // For readers of the stream, two holes of the same slots are one gap: it closes with the last hole.
      ...filled.filter(hole => !left.some(other => isOfRange(hole, other))),
    ].map(({ signature, fromSlot, toSlot }: GapRange) => ({
      ...(signature !== undefined && { signature }),
      fromSlot,
      toSlot,
    })),
  }
}

/** Adds a gap. @returns undefined when the checkpoint is full: then only an operator can close the gap */
export function addTo(open: OpenGaps, gap: UnreadTransaction | CounterHole): OpenGaps | undefined {
  const isKnown =
    'account' in gap
      ? open.holes.some(hole => hole.account === gap.account && hole.reason === gap.reason)
      : open.transactions.some(({ signature }) => signature === gap.signature)
  if (isKnown) return open
  const holeBytes = open.holes.reduce((sum, hole) => sum + sizeOf(hole), 0)
  if (open.transactions.length * TRANSACTION_BYTES + holeBytes + sizeOf(gap) > MOST_BYTES) return undefined
  if ('account' in gap) return { ...open, holes: [...open.holes, gap] }
  return { ...open, transactions: [...open.transactions, gap] }
}

/** The gaps whose turn it is, and the list in which their next turn comes last. */
export function takeTurn({ transactions, holes }: OpenGaps): { turn: OpenGaps; open: OpenGaps } {
  const rotate = <T>(gaps: readonly T[]) => [...gaps.slice(TRIED_AT_ONCE), ...gaps.slice(0, TRIED_AT_ONCE)]
  return {
    turn: { transactions: transactions.slice(0, TRIED_AT_ONCE), holes: holes.slice(0, TRIED_AT_ONCE) },
    open: { transactions: rotate(transactions), holes: rotate(holes) },
  }
}

/** Changes the turn of a hole, and the key in the account's list that it remembers. Does nothing to a closed hole. */
export function moveHole(open: OpenGaps, hole: CounterHole, to: 'first' | 'last'): OpenGaps {
  const isOther = ({ account, reason }: CounterHole) => account !== hole.account || reason !== hole.reason
  const others = open.holes.filter(isOther)
  const known = open.holes.find(each => !isOther(each))
  if (!known) return open
  const { listedTo: _before, ...whole } = known
  const moved = hole.listedTo === undefined ? whole : { ...whole, listedTo: hole.listedTo }
  return { ...open, holes: to === 'first' ? [moved, ...others] : [...others, moved] }
}
