// A history: who asked or was told what, and when, as the clients saw it. One entry a line, as JSON.
//
// All clients of a run live in one process and read one monotonic clock, so entries stand in the order in which the process
// saw them. A request has two entries with one `op`: `ask` before it leaves, `answer` when the answer is there; a request
// without an `answer` may or may not have happened. What the service says by itself has one entry.
//
// Nothing here knows a table, a queue or a service: only what the contract says to clients.

interface At {
  /** Milliseconds since the run began. */
  at: number
}

/** The promises with a number in them, as this run's settings say. */
export interface Begin extends At {
  what: 'begin'
  version: 1
  seed: string
  /** The most connections that a tracking ID may have. */
  seats: number
  /** A connection that lost its seat receives nothing for at least so long before it can have one again. */
  handOverMs: number
  /** Once somebody was told of a new database, nobody is told of the lost past for longer than this. */
  noticedWithinMs: number
  /** The longest time of one webhook request. */
  requestMs: number
}

/** What was done to the system; for the reader of a drawing. */
export interface Fault extends At {
  what: 'fault'
  name: string
}

/** The database loses the commits after a position, on purpose. */
export interface Loss extends At {
  what: 'loss'
  /** The last position that is kept. */
  kept: number
}

/** The clock's error: the process of the clients stood still until now, and saw late what came meanwhile. */
export interface Stall extends At {
  what: 'stall'
  forMs: number
}

/** Nothing is broken any more, and nothing is left to do: from here on everybody must know everything. */
export interface Rest extends At {
  what: 'rest'
}

interface Said extends At {
  who: string
}

/** The indexer publishes an event or says that a transaction was retracted. */
export interface Publish extends Said {
  via: 'queue'
  what: 'ask'
  op: number
  kind: 'event' | 'retraction'
  /** of an event */
  name?: string
  signature: string
}

/** The stream acknowledged the message. */
export interface Published extends Said {
  via: 'queue'
  what: 'answer'
  op: number
}

export interface SentPayment {
  seq: number
  eventId: string
  position?: number
  retracted?: true
}

export interface Subscribe extends Said {
  via: 'socket'
  what: 'ask'
  op: number
  connection: number
  trackingId: string
  since: number
  epoch?: string
}

export interface Subscribed extends Said {
  via: 'socket'
  what: 'answer'
  op: number
  connection: number
  trackingId: string
  /** Why not; then nothing else is here. */
  refused?: string
  epoch?: string
  head?: number
  recovered?: boolean
  more?: boolean
  next?: number
  replay?: SentPayment[]
}

/** A payment, or that it was retracted, without being asked. */
export interface Push extends Said, Omit<SentPayment, 'retracted'> {
  via: 'socket'
  what: 'payment' | 'retraction'
  connection: number
  trackingId: string
  signature: string
}

/** The client has no seat any more: it was told so, it left, or the connection ended. */
export interface Unseated extends Said {
  via: 'socket'
  what: 'lost'
  connection: number
  trackingId: string
}

/** A client that forgets everything, like a page that is loaded again. */
export interface Forget extends Said {
  via: 'socket'
  what: 'forget'
}

export interface FollowStream extends Said {
  via: 'stream'
  what: 'ask'
  connection: number
  /** A cursor; '0': from the first event; absent: from now on. */
  since?: string
}

/** The first message of a stream: where it begins and which database it reads. */
export interface StreamHead extends Said {
  via: 'stream'
  what: 'head'
  connection: number
  epoch: string
  /** of the last stored event */
  position: number
  cursor: string
}

export interface StreamedEvent extends Said {
  via: 'stream'
  what: 'event'
  connection: number
  position: number
  cursor: string
  eventId: string
  name: string
  signature: string
  gateway?: string
  trackingId?: string
  seq?: number
}

/** A webhook was registered. */
export interface Registered extends Said {
  via: 'webhook'
  what: 'registered'
  gateway: string
  /** It asked for every payment, final or not, and answers each request with 200. */
  faithful: boolean
  /** The last position that may have been stored before. */
  position: number
}

export interface WebhookRequest extends Said {
  via: 'webhook'
  what: 'request'
  /** `webhook-id` */
  id: string
  type: string
  eventId?: string
  trackingId?: string
  seq?: number
  position?: number
  /** A digest of the body. */
  body: string
  /** A digest of what must be the same after a loss of commits too: the body without its position. */
  lasting: string
  status: number
}

export interface Read extends Said {
  via: 'rest'
  what: 'ask'
  op: number
  /** Payments of this tracking ID, retracted ones too; absent: how many events there are. */
  trackingId?: string
  /** Of them, only those of this transaction. */
  signature?: string
  /** `x-min-position`, and the database that it is of. */
  minPosition?: number
  epoch?: string
}

export interface ReadAnswer extends Said {
  via: 'rest'
  what: 'answer'
  op: number
  /** The two headers of an answer; absent from a refusal. */
  position?: number
  epoch?: string
  status: number
  /** How many events or payments there are. */
  count?: number
  /** The payments, or the newest of them. */
  payments?: SentPayment[]
}

export type SocketEntry = Subscribe | Subscribed | Push | Unseated | Forget
export type StreamEntry = FollowStream | StreamHead | StreamedEvent
export type WebhookEntry = Registered | WebhookRequest
export type ClientEntry = Publish | Published | SocketEntry | StreamEntry | WebhookEntry | Read | ReadAnswer
export type Entry = Begin | Fault | Loss | Stall | Rest | ClientEntry
