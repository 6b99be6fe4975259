// A read that names a position is answered from a database that knows at least that much: whoever was told of a payment can
// read it, and a reader never goes back.
import type { Read, ReadAnswer } from '../entries.js'
import { isPublish, isPush, isReadAnswer, type Fact, type History } from '../history.js'
import { collect, type Add, type Violation } from './violation.js'

const READ = new Set([200, 404])

export function reads(history: History): Violation[] {
  return collect('reads never go back', add => {
    const seen = new Seen(history)
    const checkCount = buildCountCheck(history, add)
    const sessions = new Map<string, ReadAnswer>()
    for (const answer of history.entries.filter(isReadAnswer)) {
      const asked = history.reads.get(answer.op)
      if (!asked || !READ.has(answer.status) || answer.epoch === undefined) continue
      checkPosition(asked, answer, add)
      checkCount(asked, answer)
      checkKnown(asked, answer, seen, add)
      const list = `${asked.who} ${answer.epoch} ${asked.trackingId ?? ''} ${asked.signature ?? ''}`
      const before = sessions.get(list)
      if (before && asked.trackingId !== undefined && (answer.count ?? 0) < (before.count ?? 0))
        add(`${asked.who} counted ${before.count} payments of ${asked.trackingId} and then ${answer.count}`, [
          history.reads.get(before.op),
          before,
          asked,
          answer,
        ])
      sessions.set(list, answer)
    }
  })
}

/** Whether the position that a read names is of the database that answers. */
const isOfSame = (asked: Read, answer: ReadAnswer): boolean =>
  asked.minPosition !== undefined && asked.epoch === answer.epoch

function checkPosition(asked: Read, answer: ReadAnswer, add: Add): void {
  if (isOfSame(asked, answer) && (answer.position ?? 0) < asked.minPosition!)
    add(`${asked.who} asked from position ${asked.minPosition} and was answered from ${answer.position}`, [
      asked,
      answer,
    ])
}

/** What was told before the read was asked for, up to its position, is in the answer. */
function checkKnown(asked: Read, answer: ReadAnswer, seen: Seen, add: Add): void {
  const { trackingId, minPosition, signature } = asked
  if (trackingId === undefined || minPosition === undefined || !isOfSame(asked, answer)) return
  const { payments = [], count = 0 } = answer
  if (signature === undefined && payments.length < count) return
  const known = new Set(payments.map(({ eventId }) => eventId))
  for (const fact of seen.before(answer.epoch!, asked)) {
    if (fact.position === undefined || fact.position > minPosition || known.has(fact.eventId)) continue
    add(
      `${asked.who} asked for ${trackingId} from position ${minPosition} and did not find seq ${fact.seq}, at ${fact.position}`,
      [...fact.seen, asked, answer],
    )
  }
}

/** Positions have no holes: a count holds as many events as its position says, but for retracted ones. */
function buildCountCheck(
  { entries, streamed }: History,
  add: Add,
): (asked: Read, answer: ReadAnswer) => void {
  // One transaction can hold several events.
  const events = new Map<string, Set<string>>()
  for (const { signature, eventId } of streamed)
    events.set(signature, (events.get(signature) ?? new Set()).add(eventId))
  const retractions = new Map<string, number>()
  for (const entry of entries)
    if (isPublish(entry) && entry.kind === 'retraction' && !retractions.has(entry.signature))
      retractions.set(entry.signature, entry.at)
  return (asked, answer) => {
    if (asked.trackingId !== undefined || answer.count === undefined || answer.position === undefined) return
    let retracted = 0
    for (const [signature, at] of retractions) {
      if (at > answer.at) break
      retracted += events.get(signature)?.size ?? 0
    }
    if (answer.count + retracted < answer.position)
      add(`${asked.who} counted ${answer.count} events at position ${answer.position}`, [asked, answer])
  }
}

/** Of each payment, the first that was told of it, in the order of time. */
class Seen {
  readonly #facts = new Map<string, Fact[]>()
  readonly #ofTransaction = new Map<string, Fact[]>()

  constructor({ facts }: History) {
    const known = new Set<string>()
    for (const fact of facts) {
      const { epoch, trackingId, eventId, seen } = fact
      const push = seen.find(isPush)
      if (push) append(this.#ofTransaction, `${epoch} ${trackingId} ${push.signature}`, fact)
      if (known.has(`${epoch} ${trackingId} ${eventId}`)) continue
      known.add(`${epoch} ${trackingId} ${eventId}`)
      append(this.#facts, `${epoch} ${trackingId}`, fact)
    }
  }

  /** What was told before a read was asked for, of its tracking ID and transaction. */
  *before(epoch: string, { trackingId, signature, at }: Read): Iterable<Fact> {
    const facts =
      signature === undefined
        ? this.#facts.get(`${epoch} ${trackingId}`)
        : this.#ofTransaction.get(`${epoch} ${trackingId} ${signature}`)
    for (const fact of facts ?? []) {
      if (fact.at >= at) return
      yield fact
    }
  }
}

function append(map: Map<string, Fact[]>, key: string, fact: Fact): void {
  const list = map.get(key)
  if (list) list.push(fact)
  else map.set(key, [fact])
}
