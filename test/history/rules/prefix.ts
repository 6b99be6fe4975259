// Each client knows the payments of a tracking ID from the first one on, without holes:
// - an answer to `subscribe` brings every payment after `since`, up to the answer's head
// - the head is at least the highest `seq` that anybody was told before the client asked
// - at the end, each subscribed client knows every payment that any client knows
import type { Push, Subscribe, Subscribed, Unseated } from '../entries.js'
import type { Fact, History } from '../history.js'
import { collect, type Add, type Violation } from './violation.js'

/** What a client knows of a tracking ID. */
interface View {
  who: string
  trackingId: string
  epoch: string | undefined
  /** By `seq`, the payment. */
  known: Map<number, string>
  /** Payments that the client knows were taken back. */
  retracted: Set<string>
  /** The last answer that brought all up to its head, while the client is subscribed. */
  subscribed: Subscribed | undefined
}

export function prefix(history: History): Violation[] {
  return collect('a view without holes', add => {
    const views = new Map<string, View>()
    const latest = new Latest(history.facts)
    const asked = new Set<string>()
    for (const entry of history.entries) {
      if (!('via' in entry) || entry.via !== 'socket') continue
      if (entry.what === 'forget') {
        for (const view of views.values()) if (view.who === entry.who) forget(view)
        continue
      }
      const view = viewOf(views, entry)
      if (entry.what === 'ask') {
        asked.add(`${entry.connection} ${entry.trackingId}`)
      } else if (entry.what === 'answer') {
        if (entry.epoch === undefined) continue
        const request = history.subscribes.get(entry.op)
        const seen = request && latest.before(entry.epoch, entry.trackingId, request.at)
        if (request) checkAnswer(history, entry, request, seen, add)
        learn(view, entry)
      } else if (entry.what === 'lost') view.subscribed = undefined
      else {
        if (!asked.has(`${entry.connection} ${entry.trackingId}`))
          add(`${entry.who} was sent seq ${entry.seq} of ${entry.trackingId} without having asked`, [entry])
        if (entry.what === 'retraction') view.retracted.add(entry.eventId)
        view.known.set(entry.seq, entry.eventId)
      }
    }
    checkEnd(history, [...views.values()], latest, add)
  })
}

function forget(view: View): void {
  view.known.clear()
  view.retracted.clear()
  view.epoch = undefined
}

function viewOf(
  views: Map<string, View>,
  { who, trackingId }: Push | Subscribe | Subscribed | Unseated,
): View {
  const key = `${who} ${trackingId}`
  const known = views.get(key)
  if (known) return known
  const view: View = {
    who,
    trackingId,
    epoch: undefined,
    subscribed: undefined,
    known: new Map(),
    retracted: new Set(),
  }
  views.set(key, view)
  return view
}

function checkAnswer(
  history: History,
  answer: Subscribed,
  asked: Subscribe,
  seen: Fact | undefined,
  add: Add,
): void {
  const { who, trackingId, epoch, head = 0, replay = [], recovered, more, next = 0 } = answer
  const at = `${who} asked for ${trackingId} since ${asked.since} and`
  const isOther = asked.epoch !== undefined && asked.epoch !== epoch
  if (isOther || asked.since > head) {
    if (recovered || replay.length > 0)
      add(`${at} was answered from another database as if it were the same`, [asked, answer])
    return
  }
  if (!recovered) {
    // After a loss of commits, a client that sends no epoch cannot show that its `since` counts in this database.
    const isDoubtful =
      asked.epoch === undefined && asked.since > 0 && history.losses.some(loss => loss.at < answer.at)
    if (!isDoubtful) add(`${at} was told to begin again, though the head is ${head}`, [asked, answer])
    return
  }
  replay.forEach(({ seq }, index) => {
    const should = asked.since + 1 + index
    if (seq !== should) add(`${at} got seq ${seq} where ${should} belongs`, [asked, answer])
  })
  if (!more && next < head)
    add(`${at} was told that there is no more, before the head ${head}`, [asked, answer])
  if (!more && replay.length > 0 && replay.at(-1)!.seq < head)
    add(`${at} got nothing behind seq ${replay.at(-1)!.seq}, though the head is ${head}`, [asked, answer])
  if (replay.length === 0 && asked.since < head)
    add(`${at} got nothing, though the head is ${head}`, [asked, answer])
  if (seen && head < seen.seq && !isLost(history, seen, answer.at))
    add(`${at} was told of head ${head}, after somebody was told of seq ${seen.seq}`, [
      ...seen.seen,
      asked,
      answer,
    ])
}

/** Until a loss of commits is noticed, the database answers under its old epoch and without what it lost. */
const isLost = ({ losses, firstSeen }: History, { epoch, position = Infinity }: Fact, at: number): boolean =>
  losses.some(loss => firstSeen.get(epoch)!.at < loss.at && loss.at < at && position > loss.kept)

function learn(view: View, answer: Subscribed): void {
  if ((view.epoch !== undefined && view.epoch !== answer.epoch) || answer.recovered === false) forget(view)
  view.epoch = answer.epoch
  view.subscribed = answer
  for (const { seq, eventId, retracted } of answer.replay ?? []) {
    view.known.set(seq, eventId)
    if (retracted) view.retracted.add(eventId)
  }
}

/** At rest, who is subscribed knows every payment and every retraction that anybody was told of. */
function checkEnd(history: History, views: readonly View[], latest: Latest, add: Add): void {
  const { rest, lastEpoch } = history
  if (!rest || lastEpoch === undefined) return
  const retractions = retractionsIn(history, lastEpoch)
  for (const { who, trackingId, epoch, known, retracted, subscribed } of views) {
    if (!subscribed || epoch !== lastEpoch) continue
    for (const fact of latest.all(lastEpoch, trackingId)) {
      if (known.has(fact.seq)) continue
      add(`${who} never knew seq ${fact.seq} of ${trackingId}`, [subscribed, ...fact.seen, rest])
    }
    for (const [eventId, seen] of retractions)
      if (seen.trackingId === trackingId && !retracted.has(eventId))
        add(`${who} was never told that seq ${seen.seq} of ${trackingId} was retracted`, [
          ...[subscribed, rest, history.databaseOf.get(seen.connection), seen],
        ])
  }
}

const retractionsIn = ({ entries, databaseOf }: History, epoch: string): Map<string, Push> =>
  new Map(
    entries.flatMap(entry =>
      'via' in entry &&
      entry.via === 'socket' &&
      entry.what === 'retraction' &&
      databaseOf.get(entry.connection)?.epoch === epoch
        ? [[entry.eventId, entry] as const]
        : [],
    ),
  )

/** The highest numbers that anybody was told of, in the order of time. */
class Latest {
  readonly #rising = new Map<string, Fact[]>()
  readonly #bySeq = new Map<string, Map<number, Fact>>()

  constructor(facts: readonly Fact[]) {
    for (const fact of [...facts].sort((a, b) => a.at - b.at)) {
      const key = `${fact.epoch} ${fact.trackingId}`
      const rising = this.#rising.get(key) ?? []
      this.#rising.set(key, rising)
      if (fact.seq > (rising.at(-1)?.seq ?? 0)) rising.push(fact)
      const bySeq = this.#bySeq.get(key) ?? new Map<number, Fact>()
      this.#bySeq.set(key, bySeq)
      if (!bySeq.has(fact.seq)) bySeq.set(fact.seq, fact)
    }
  }

  /** The highest that was told before a moment. */
  before(epoch: string, trackingId: string, at: number): Fact | undefined {
    const rising = this.#rising.get(`${epoch} ${trackingId}`) ?? []
    let [low, high] = [0, rising.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (rising[middle]!.at < at) low = middle + 1
      else high = middle
    }
    return rising[low - 1]
  }

  all(epoch: string, trackingId: string): Iterable<Fact> {
    return this.#bySeq.get(`${epoch} ${trackingId}`)?.values() ?? []
  }
}
