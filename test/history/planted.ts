// A short history in which every promise is kept, and changes of it that each break one. One file, because each change names
// entries of this history.
import type { Entry, SentPayment } from './entries.js'
import type { Note } from './recorder.js'

const GATEWAY = 'gateway'
const [BEFORE, AFTER] = ['aaaaaaaa-before', 'bbbbbbbb-after']
/** Two pushes to one connection come closer together than a seat can change hands and come back. */
const STEP_MS = 40
const NOTICED_WITHIN_MS = 15_000

/** Of `order`, the payments by `seq`; the second database stores the last two the other way round. */
const [FIRST, SECOND, THIRD, FOURTH] = ['event-1', 'event-2', 'event-3', 'event-4'] as const
const signatureOf = (eventId: string) => `signature of ${eventId}`

/** Tells the story: two seats, two pages that follow `order`, a third that finds no seat, and a loss of two commits. */
class Story {
  readonly entries: Entry[] = []
  #at = 0
  #op = 0

  note(note: Note, afterMs = STEP_MS): void {
    this.#at += afterMs
    this.entries.push({ at: this.#at, ...note })
  }

  wait(ms: number): void {
    this.#at += ms
  }

  publish(kind: 'event' | 'retraction', eventId: string): void {
    const op = (this.#op += 1)
    const name = kind === 'event' ? { name: 'PaymentRecord' } : {}
    const of = { who: 'indexer', via: 'queue', op } as const
    this.note({ ...of, what: 'ask', kind, ...name, signature: signatureOf(eventId) })
    this.note({ ...of, what: 'answer' }, 1)
  }

  subscribe(
    who: string,
    connection: number,
    asked: { since: number; epoch?: string },
    answer: { refused: string } | { epoch: string; head: number; recovered: boolean; replay: SentPayment[] },
  ): void {
    const of = { who, via: 'socket', op: (this.#op += 1), connection, trackingId: 'order' } as const
    this.note({ ...of, what: 'ask', ...asked })
    const rest = 'refused' in answer ? answer : { ...answer, more: false, next: answer.head }
    this.note({ ...of, what: 'answer', ...rest })
  }

  push(who: string, connection: number, what: 'payment' | 'retraction', seq: number, eventId: string): void {
    const of = { who, via: 'socket', connection, trackingId: 'order' } as const
    const position = what === 'payment' ? { position: seq } : {}
    this.note({ ...of, what, seq, eventId, ...position, signature: signatureOf(eventId) }, 20)
  }

  leave(who: string, connection: number): void {
    this.note({ who, via: 'socket', what: 'lost', connection, trackingId: 'order' })
  }

  follow(connection: number, epoch: string, position: number, since?: string): void {
    const of = { who: 'back office', via: 'stream', connection } as const
    this.note({ ...of, what: 'ask', ...(since !== undefined && { since }) })
    this.note({ ...of, what: 'head', epoch, position, cursor: since ?? `${epoch} ${position}` })
  }

  stream(connection: number, epoch: string, position: number, eventId: string): void {
    this.note(
      {
        ...({ who: 'back office', via: 'stream', what: 'event', connection, position, eventId } as const),
        cursor: `${epoch} ${position}`,
        name: 'PaymentRecord',
        signature: signatureOf(eventId),
        gateway: GATEWAY,
        trackingId: 'order',
        seq: position,
      },
      5,
    )
  }

  request(eventId: string, seq: number, body: string, type = 'payment.executed'): void {
    this.note({
      ...({ who: 'webhook', via: 'webhook', what: 'request', id: `msg_${eventId}`, type } as const),
      eventId,
      trackingId: 'order',
      seq,
      position: seq,
      body,
      lasting: `lasting ${eventId}`,
      status: 200,
    })
  }

  read(
    who: string,
    asked: { trackingId?: string; signature?: string; minPosition: number; epoch: string },
    answer: { position: number; epoch: string; count: number; payments?: SentPayment[] },
  ): void {
    const of = { who, via: 'rest', op: (this.#op += 1) } as const
    this.note({ ...of, what: 'ask', ...asked })
    this.note({ ...of, what: 'answer', status: 200, ...answer })
  }

  /** Published, stored, told to everybody. */
  pay(seq: number, eventId: string): void {
    this.publish('event', eventId)
    this.stream(1, BEFORE, seq, eventId)
    this.push('page', 2, 'payment', seq, eventId)
    this.push('shop', 3, 'payment', seq, eventId)
    this.request(eventId, seq, `body ${eventId}`)
  }
}

const payment = (seq: number, eventId: string): SentPayment => ({ seq, eventId, position: seq })

/** A history in which nothing is wrong. */
export function buildGoodHistory(): Entry[] {
  const story = new Story()
  story.note({
    ...({ what: 'begin', version: 1, seed: 'planted', seats: 2 } as const),
    handOverMs: 500,
    noticedWithinMs: NOTICED_WITHIN_MS,
    requestMs: 3_000,
  })
  story.follow(1, BEFORE, 0)
  const webhook = { who: 'webhook', via: 'webhook', what: 'registered' } as const
  story.note({ ...webhook, gateway: GATEWAY, faithful: true, position: 0 })
  story.subscribe('page', 2, { since: 0 }, { epoch: BEFORE, head: 0, recovered: true, replay: [] })
  story.subscribe('shop', 3, { since: 0 }, { epoch: BEFORE, head: 0, recovered: true, replay: [] })
  story.subscribe('third', 4, { since: 0 }, { refused: 'TOO_MANY_CONNECTIONS' })
  story.pay(1, FIRST)
  story.pay(2, SECOND)
  const order = { trackingId: 'order', epoch: BEFORE }
  const two = [payment(1, FIRST), payment(2, SECOND)]
  story.read('reader', { ...order, minPosition: 2 }, { position: 2, epoch: BEFORE, count: 2, payments: two })
  story.read('reader', { epoch: BEFORE, minPosition: 2 }, { position: 2, epoch: BEFORE, count: 2 })
  story.pay(3, THIRD)
  story.publish('retraction', FIRST)
  story.push('page', 2, 'retraction', 1, FIRST)
  story.push('shop', 3, 'retraction', 1, FIRST)
  const bySignature = { ...order, signature: signatureOf(THIRD), minPosition: 3 }
  story.read('reader', bySignature, { position: 3, epoch: BEFORE, count: 1, payments: [payment(3, THIRD)] })
  story.read('reader', { epoch: BEFORE, minPosition: 3 }, { position: 3, epoch: BEFORE, count: 2 })
  story.pay(4, FOURTH)

  story.note({ what: 'loss', kept: 2 })
  story.leave('page', 2)
  story.leave('shop', 3)
  // Nobody has noticed the loss yet: the standby answers as the database before it, without what it lacks.
  story.subscribe(
    'shop',
    8,
    { since: 2, epoch: BEFORE },
    { epoch: BEFORE, head: 2, recovered: true, replay: [] },
  )
  story.leave('shop', 8)
  story.follow(5, AFTER, 2, '0')
  const replay = [{ ...payment(1, FIRST), retracted: true as const }, payment(2, SECOND)]
  story.stream(5, AFTER, 1, FIRST)
  story.stream(5, AFTER, 2, SECOND)
  story.subscribe(
    'page',
    6,
    { since: 4, epoch: BEFORE },
    { epoch: AFTER, head: 2, recovered: false, replay: [] },
  )
  story.subscribe('page', 6, { since: 0, epoch: AFTER }, { epoch: AFTER, head: 2, recovered: true, replay })
  story.stream(5, AFTER, 3, FOURTH)
  story.push('page', 6, 'payment', 3, FOURTH)
  story.stream(5, AFTER, 4, THIRD)
  story.push('page', 6, 'payment', 4, THIRD)
  story.request(FOURTH, 3, `body ${FOURTH}, at another position`)
  story.push('page', 6, 'retraction', 1, FIRST)
  const all = [...replay, payment(3, FOURTH), payment(4, THIRD)]
  story.subscribe(
    'shop',
    7,
    { since: 4, epoch: BEFORE },
    { epoch: AFTER, head: 4, recovered: false, replay: [] },
  )
  story.subscribe(
    'shop',
    7,
    { since: 0, epoch: AFTER },
    { epoch: AFTER, head: 4, recovered: true, replay: all },
  )
  story.read(
    'reader',
    { trackingId: 'order', minPosition: 4, epoch: AFTER },
    { position: 4, epoch: AFTER, count: 4, payments: all },
  )
  story.note({ what: 'rest' })
  return story.entries
}

type Change = (entries: Entry[]) => Entry[]

/** Fields by which a change finds an entry; no entry has all of them. */
interface Looks {
  what?: string
  via?: string
  who?: string
  kind?: string
  connection?: number
  seq?: number
  position?: number
  eventId?: string
  epoch?: string
  signature?: string
}

/** What a change reads of an entry. */
interface Seen {
  replay?: SentPayment[]
}

/** Changes the entry that is the `number`th of those that look so. */
const change =
  (looks: Looks, to: (seen: Seen) => object, number = 0): Change =>
  entries => {
    const found = entries.filter(entry => matches(entry, looks))[number]
    if (!found) throw new Error(`no entry looks like ${JSON.stringify(looks)}`)
    return entries.map(entry => (entry === found ? { ...entry, ...to(entry as Seen) } : entry))
  }

const without =
  (...all: Looks[]): Change =>
  entries =>
    entries.filter(entry => !all.some(looks => matches(entry, looks)))

const matches = (entry: Entry, looks: Looks): boolean =>
  Object.entries(looks).every(
    ([name, value]) => (entry as unknown as Record<string, unknown>)[name] === value,
  )

/** Puts entries behind the first that looks so. */
const lagging =
  (looks: Looks, build: (at: number) => object[]): Change =>
  entries => {
    const index = entries.findIndex(entry => matches(entry, looks))
    const { at } = entries[index]!
    return [...entries.slice(0, index + 1), ...(build(at) as Entry[]), ...entries.slice(index + 1)]
  }

/** Puts changed copies of the first entry that looks so behind it. */
const again =
  (looks: Looks, ...changes: ({ afterMs?: number } & Record<string, unknown>)[]): Change =>
  entries => {
    const entry = entries.find(each => matches(each, looks))!
    const copies = changes.map(({ afterMs = 1, ...to }) => ({ ...entry, at: entry.at + afterMs, ...to }))
    return entries.toSpliced(entries.indexOf(entry) + 1, 0, ...copies)
  }

const push = (what: string, seq: number, connection: number) => ({ via: 'socket', what, seq, connection })
const streamed = (connection: number, position: number) => ({
  via: 'stream',
  what: 'event',
  connection,
  position,
})
const answerOf = (who: string, via = 'socket') => ({ who, via, what: 'answer' })

const SECOND_REQUEST = { via: 'webhook', what: 'request', eventId: SECOND }

/** The third page receives what only two connections may receive. */
const thirdIsServed: Change = entries =>
  entries.flatMap(entry => {
    const isPush = matches(entry, { via: 'socket', what: 'payment', connection: 3 })
    return isPush ? [entry, { ...entry, who: 'third', connection: 4 } as Entry] : [entry]
  })

/** Each name says what is wrong, with the promise that it breaks and what the checker calls it. */
export const PLANTED: readonly { name: string; change: Change; promise: RegExp; subject: RegExp }[] = [
  {
    name: 'one seq is another payment for one client',
    change: change(push('payment', 2, 3), () => ({ eventId: THIRD })),
    promise: /one order/,
    subject: /^seq 2 of order is two payments/,
  },
  {
    name: 'one payment is told under two numbers',
    change: change(push('payment', 3, 3), () => ({ seq: 4 })),
    promise: /one order/,
    subject: /^payment event-3 has two numbers/,
  },
  {
    name: 'one position is two events',
    change: change(push('payment', 3, 3), () => ({ position: 2 })),
    promise: /one order/,
    subject: /^position 2 is two events/,
  },
  {
    name: 'the numbers run against the order of commits',
    change: entries =>
      change(streamed(5, 4), () => ({ seq: 3 }))(change(streamed(5, 3), () => ({ seq: 4 }))(entries)),
    promise: /one order/,
    subject: /^seq 3 of order was stored behind seq 4/,
  },
  {
    name: 'a replay has a hole',
    change: change(
      { ...answerOf('shop'), epoch: AFTER },
      ({ replay }) => ({ replay: replay!.toSpliced(2, 1) }),
      1,
    ),
    promise: /without holes/,
    subject: /^shop asked for order since 0 and got seq 4 where 3 belongs/,
  },
  {
    name: 'an answer knows less than was told before the question',
    change: change(
      { ...answerOf('shop'), epoch: AFTER },
      ({ replay }) => ({ head: 3, next: 3, replay: replay!.slice(0, 3) }),
      1,
    ),
    promise: /without holes/,
    subject: /^shop asked for order since 0 and was told of head 3, after somebody was told of seq 4/,
  },
  {
    name: 'a client never hears of the last payment',
    change: without(push('payment', 4, 6)),
    promise: /without holes/,
    subject: /^page never knew seq 4 of order/,
  },
  {
    name: 'a client never hears of a retraction',
    change: change(
      { ...answerOf('shop'), epoch: AFTER },
      ({ replay }) => ({ replay: replay!.map(({ retracted: _, ...rest }) => rest) }),
      1,
    ),
    promise: /without holes/,
    subject: /^shop was never told that seq 1 of order was retracted/,
  },
  {
    name: 'a client is sent what it did not ask for',
    change: without({ who: 'shop', via: 'socket', what: 'ask', connection: 3 }),
    promise: /without holes/,
    subject: /^shop was sent seq 1 of order without having asked/,
  },
  {
    name: 'another database answers as if it were the same',
    change: change({ ...answerOf('page'), epoch: AFTER }, () => ({ recovered: true })),
    promise: /without holes/,
    subject: /was answered from another database as if it were the same/,
  },
  {
    name: 'a read goes back behind its position',
    change: change(answerOf('reader', 'rest'), () => ({ position: 1 }), 1),
    promise: /never go back/,
    subject: /^reader asked from position 2 and was answered from 1/,
  },
  {
    name: 'who was told of a payment does not find it',
    change: change(answerOf('reader', 'rest'), () => ({ count: 0, payments: [] }), 2),
    promise: /never go back/,
    subject: /^reader asked for order from position 3 and did not find seq 3/,
  },
  {
    name: 'a count knows fewer events than its position',
    change: change(answerOf('reader', 'rest'), () => ({ count: 1 }), 1),
    promise: /never go back/,
    subject: /^reader counted 1 events at position 2/,
  },
  {
    name: 'one webhook-id has two bodies',
    change: again(SECOND_REQUEST, { body: 'another body', lasting: 'another body' }),
    promise: /one id and one body/,
    subject: /^webhook got two bodies under id msg_event-2/,
  },
  {
    name: 'one event has two webhook-ids',
    change: again(SECOND_REQUEST, { id: 'msg_another', body: 'another body', lasting: 'another body' }),
    promise: /one id and one body/,
    subject: /^webhook got two ids for payment.executed of event event-2/,
  },
  {
    name: 'a webhook is never told of a payment',
    change: without(SECOND_REQUEST),
    promise: /at least once/,
    subject: /^webhook was never told of payment event-2/,
  },
  {
    name: 'a webhook gives a payment another number',
    change: change(SECOND_REQUEST, () => ({ seq: 1 })),
    promise: /one id and one body/,
    subject: /^webhook was told of another payment as seq 1 of order/,
  },
  {
    name: 'one connection more is sent to than there are seats',
    change: thirdIsServed,
    promise: /connections than seats/,
    subject: /^order had more than 2 live connections at once/,
  },
  {
    name: 'a pod that woke sends two payments at once to a connection without a seat',
    change: again(
      push('payment', 3, 2),
      ...[1, 2].map(seq => ({
        ...payment(seq, `event-${seq}`),
        afterMs: seq - 150,
        who: 'third',
        connection: 4,
        signature: signatureOf(`event-${seq}`),
      })),
    ),
    promise: /connections than seats/,
    subject: /^order had more than 2 live connections at once/,
  },
  {
    name: 'a database takes the place of another one without a word',
    change: without({ what: 'loss' }),
    promise: /lost is declared/,
    subject: /^database bbbbbbbb came without a loss that was declared/,
  },
  {
    name: 'nobody notices a loss',
    change: entries => [
      ...entries.slice(0, entries.findIndex(({ what }) => what === 'loss') + 1),
      entries.at(-1)!,
    ],
    promise: /everybody is told/,
    subject: /^nobody was told that what is behind position 2 was lost/,
  },
  {
    name: 'a client is told to begin again without a reason',
    change: change({ who: 'page', via: 'socket', what: 'answer' }, () => ({ recovered: false })),
    promise: /without holes/,
    subject: /^page asked for order since 0 and was told to begin again/,
  },
  {
    name: 'more is lost than was declared',
    change: change(streamed(5, 2), () => ({ position: 5, cursor: 'another' })),
    promise: /lost is declared/,
    subject: /^event event-2 was kept at position 2 and is at 5 now/,
  },
  {
    name: 'what was lost never comes back',
    change: without(streamed(5, 4)),
    promise: /lost is declared/,
    subject: /^event event-3 was at position 3 and never came back/,
  },
  {
    name: 'a client is not told of the new database',
    change: without({ who: 'shop', connection: 7 }, { who: 'shop', what: 'lost' }),
    promise: /everybody is told/,
    subject: /^shop was never told that database bbbbbbbb took the place of aaaaaaaa/,
  },
  {
    name: 'a client is told of the lost past',
    change: lagging(streamed(5, 4), at => [
      {
        at: at + NOTICED_WITHIN_MS + 5_000,
        who: 'shop',
        via: 'socket',
        what: 'payment',
        connection: 3,
        trackingId: 'order',
        seq: 4,
        eventId: FOURTH,
        position: 4,
        signature: signatureOf(FOURTH),
      },
    ]),
    promise: /lost is declared/,
    subject: /^shop was told of the lost database aaaaaaaa/,
  },
  {
    name: 'one connection tells of two databases',
    change: change({ ...answerOf('page'), connection: 6 }, () => ({
      epoch: BEFORE,
      head: 4,
      recovered: true,
    })),
    promise: /lost is declared/,
    subject: /^page was told of two databases over one connection/,
  },
  {
    name: 'the stream leaves an event out',
    change: without(streamed(1, 2)),
    promise: /each event once/,
    subject: /^back office was not told of position 2/,
  },
  {
    name: 'the stream tells an event again',
    change: again(streamed(1, 2), {}),
    promise: /each event once/,
    subject: /^back office was told of position 2 again/,
  },
  {
    name: 'what the stream of messages acknowledged is never stored',
    change: entries => {
      const lost = { signature: 'a lost signature', op: 900 }
      const asked = again({ what: 'ask', via: 'queue', kind: 'event' }, lost)(entries)
      return again({ what: 'answer', via: 'queue' }, { op: 900 })(asked)
    },
    promise: /each event once/,
    subject: /^PaymentRecord a lost signature was acknowledged and never stored/,
  },
  {
    name: 'an event is told that nobody published',
    change: without({ via: 'queue', what: 'ask', signature: signatureOf(SECOND) }),
    promise: /each event once/,
    subject: /^event event-2 was told before anybody published it/,
  },
]
