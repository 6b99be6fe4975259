// What each model is searched with, and the ways to break it: a change to its text, and the invariant that must notice.

/** Replaces `pure val NAME = …`. */
export type Bounds = Readonly<Record<string, string>>

export interface Mutant {
  name: string
  find: string
  replace: string
  /** one of the invariants that break first */
  breaks: string
  bounds: Bounds
}

export interface ModelPlan {
  /** test/models/<name>.qnt */
  name: string
  /** searched to the end, each in at most three minutes */
  searches: readonly Bounds[]
  mutants: readonly Mutant[]
}

const ONE_DELIVERY: Bounds = { DELIVERIES: 'Set(1)', ORDERED: 'false' }
const IN_ORDER: Bounds = { WORKERS: 'Set(1)', REDELIVERIES: '0', MOST_ATTEMPTS: '2' }

const DELIVERIES: ModelPlan = {
  name: 'deliveries',
  searches: [ONE_DELIVERY, IN_ORDER],
  mutants: [
    {
      name: 'a claim without an end',
      find: 'EXPIRES = true',
      replace: 'EXPIRES = false',
      breaks: 'neverStuck',
      bounds: ONE_DELIVERY,
    },
    {
      name: 'a claim of what another worker holds',
      find: 's.rows.get(d).due, s.rows.get(d).isUnclaimed(),',
      replace: 's.rows.get(d).due,',
      breaks: 'oneSender',
      bounds: ONE_DELIVERY,
    },
    {
      name: 'a request before its attempt is a row',
      find: 'attempts: taken.attempts.set((d, number), "open"),',
      replace: '',
      breaks: 'recorded',
      bounds: ONE_DELIVERY,
    },
    {
      name: 'a claim that does not look whether the delivery is live',
      find: 'if (not(st.isLive(d)))',
      replace: 'if (false)',
      breaks: 'nothingAfterOff',
      bounds: ONE_DELIVERY,
    },
    {
      name: 'a try beyond the last',
      find: 'else if (row.attempts >= row.allowed)',
      replace: 'else if (row.attempts > row.allowed)',
      breaks: 'bounded',
      bounds: ONE_DELIVERY,
    },
    {
      name: 'a claim that passes over an earlier delivery',
      find: 'else if (st.hasEarlier(d))',
      replace: 'else if (false)',
      breaks: 'inOrder',
      bounds: IN_ORDER,
    },
    {
      name: 'a hold that uses up a try',
      find: 's\' = s.ofRow(d, { ...s.rows.get(d), state: "waiting", due: false, behind: false }),',
      replace:
        's\' = s.ofRow(d, { ...s.rows.get(d), state: "waiting", attempts: s.rows.get(d).attempts + 1, due: false, behind: false }),',
      breaks: 'bounded',
      bounds: ONE_DELIVERY,
    },
    {
      name: 'a late failure that resumes what was cancelled',
      find: 'val after = if (isAccepted or st.isLive(d)) nextOf(work) else "cancelled"',
      replace: 'val after = nextOf(work)',
      breaks: 'neverResumed',
      bounds: ONE_DELIVERY,
    },
    {
      name: 'a late failure that ends the claim of a later attempt',
      find: 'row.attempts == work.number and row.claim != "none"',
      replace: 'row.claim != "none"',
      breaks: 'oneSender',
      bounds: ONE_DELIVERY,
    },
    {
      name: 'a late failure that ends a round that was just opened',
      find: ' and row.claim != "none"',
      replace: '',
      breaks: 'attempted',
      bounds: ONE_DELIVERY,
    },
    {
      name: 'turning on without a new activation',
      find: 'active: true, activation: s.activation + 1',
      replace: 'active: true',
      breaks: 'neverResumed',
      bounds: ONE_DELIVERY,
    },
    {
      name: 'a redelivery of what a worker is sending',
      find: 's.active, s.redeliveries < REDELIVERIES, s.rows.get(d).isUnclaimed(),',
      replace: 's.active, s.redeliveries < REDELIVERIES,',
      breaks: 'oneSender',
      bounds: ONE_DELIVERY,
    },
  ],
}

/** No server is lost: two writers and every message. */
const TWO_WRITERS: Bounds = { LOSSES: '0' }
/** One writer, and a standby that lacks commits. */
const PROMOTED: Bounds = { WRITERS: 'Set(1)', LOSSES: '1', CRASHES: '0' }

const INGEST: ModelPlan = {
  name: 'ingest',
  searches: [TWO_WRITERS, PROMOTED],
  mutants: [
    {
      name: 'an acknowledgement before the commit',
      find: 's.writers.get(w).at == "committed",',
      replace: 's.writers.get(w).at.in(Set("got", "committed")),',
      breaks: 'nothingLost',
      bounds: TWO_WRITERS,
    },
    {
      name: 'two writers at once',
      find: 'WRITERS.forall(v => s.writers.get(v).at != "locked"),',
      replace: '',
      breaks: 'dense',
      bounds: TWO_WRITERS,
    },
    {
      name: 'a redelivery that is stored again',
      find: 'if (others.exists(e => e.slot == payment.slot))',
      replace: 'if (false)',
      breaks: 'once',
      bounds: TWO_WRITERS,
    },
    {
      name: 'a payment that comes after its retraction, and counts',
      find: 'slot: payment.slot, retracted: isRetracted',
      replace: 'slot: payment.slot, retracted: false',
      breaks: 'retractedStays',
      bounds: TWO_WRITERS,
    },
    {
      name: 'a transaction that returns before its retraction, and both count',
      find: 'else if (not(isRetracted) and others.exists(e => not(e.retracted)))',
      replace: 'else if (false)',
      breaks: 'once',
      bounds: TWO_WRITERS,
    },
    {
      name: 'a letter that is not read again',
      find: 'db.letters.filter(l => STREAM.get(l).tx == gone.tx)',
      replace: 'db.letters.filter(l => false)',
      breaks: 'takenIn',
      bounds: TWO_WRITERS,
    },
    {
      name: 'a promoted standby with the epoch of its primary',
      find: 'epoch: st.epochs + 1,',
      replace: '',
      breaks: 'agreed',
      bounds: PROMOTED,
    },
    {
      name: 'a write to a server that was not verified',
      find: 's.writers.get(w).server == s.server,',
      replace: '',
      breaks: 'agreed',
      bounds: PROMOTED,
    },
    {
      name: 'lost messages that are not read again',
      find: 'again: MESSAGES } }',
      replace: 'again: st.db.again } }',
      breaks: 'nothingLost',
      bounds: PROMOTED,
    },
    {
      name: 'only what was acknowledged is read again',
      find: 'again: MESSAGES } }',
      replace: 'again: st.acknowledged } }',
      breaks: 'nothingLost',
      bounds: PROMOTED,
    },
  ],
}

/** Two clients of one room, one of which asks for some payments only. */
const TWO_CLIENTS: Bounds = { RETRACTED: 'Set()', FENCES: 'false' }
/** One client, a retraction, and a pod that fences itself. */
const FENCED: Bounds = { CLIENTS: 'Set(1)' }
/** One client, two pods, and a standby that lacks commits. */
const LOST: Bounds = { CLIENTS: 'Set(1)', RETRACTED: 'Set()', FENCES: 'false', LOSSES: '1' }
const TELLING: ModelPlan = {
  name: 'telling',
  searches: [TWO_CLIENTS, FENCED, LOST],
  mutants: [
    {
      name: 'an announcement before the commit',
      find: "s' = { ...s, announced: s.announced.union(Set(s.db.message(seq))) },",
      replace:
        "s' = { ...s, announced: s.announced.union(Set({ ...s.db.message(seq), seq: s.db.rows.length() + 1 })) },",
      breaks: 'truthful',
      bounds: FENCED,
    },
    {
      name: 'a message whose epoch nobody looks at',
      find: 'if (m.epoch != s.pods.get(p).epoch)',
      replace: 'if (false)',
      breaks: 'truthful',
      bounds: LOST,
    },
    {
      name: 'healing that does not look at the epoch',
      find: 'if (s.pods.get(p).epoch == s.db.epoch) s.healed(p)',
      replace: 'if (s.pods.get(p).epoch != 0) s.healed(p)',
      breaks: 'truthful',
      bounds: LOST,
    },
    {
      name: 'a `since` whose epoch nobody looks at',
      find: 'if (not(c.in(NAMELESS))) client.epoch == s.db.epoch',
      replace: 'if (not(c.in(NAMELESS))) true',
      breaks: 'nothingLost',
      bounds: LOST,
    },
    {
      name: 'the head of the first answer counts, and not the lowest',
      find: 'if (pod.floor >= 0 and pod.floor <= top) pod',
      replace: 'if (pod.floor >= 0) pod',
      breaks: 'nobodyLeftOut',
      bounds: TWO_CLIENTS,
    },
    {
      name: 'what arrives before the answer is sent at once',
      find: 'if (client.at == "open") acc.hand(c, m)',
      replace: 'if (true) acc.hand(c, m)',
      breaks: 'truthful',
      bounds: FENCED,
    },
    {
      name: 'what arrives before the answer is dropped',
      find: 'acc.ofClient(c, { ...client, held: client.held.union(Set(m)) })',
      replace: 'acc',
      breaks: 'nobodyLeftOut',
      bounds: FENCED,
    },
    {
      name: 'a fenced pod answers and forgets what it kept back',
      find: 'ready.answered(c, back).left(c)',
      replace: 'ready.answered(c, back)',
      breaks: 'nobodyLeftOut',
      bounds: FENCED,
    },
    {
      name: 'an answer without the retractions of what the client has',
      find: 'page.recovered and n <= client.floor and wants',
      replace: 'false and wants',
      breaks: 'takenBack',
      bounds: FENCED,
    },
    {
      name: "another recipient's payment",
      find: 'st.members(p).filter(c => wants(c, m.id)).fold(',
      replace: 'st.members(p).fold(',
      breaks: 'truthful',
      bounds: TWO_CLIENTS,
    },
  ],
}

/** Ticks of half a lease, without drift. */
const COARSE: Bounds = { LEASE: '2', FENCE: '1', RECOVERY: '3', DRIFTS: 'false' }
/** Redis keeps everything, and pods begin anew. */
const PAUSED: Bounds = { ...COARSE, LOSSES: '0' }
/** The same with clocks that drift, without a second lease. */
const DRIFTING: Bounds = { ...PAUSED, BEGINS: '1', DRIFTS: 'true' }
const FLUSHED: Bounds = { ...COARSE, BEGINS: '1' }
const FAILED_OVER: Bounds = { ...FLUSHED, LOSS: '"failover"' }

const SEATS: ModelPlan = {
  name: 'seats',
  searches: [PAUSED, DRIFTING, FLUSHED, FAILED_OVER],
  mutants: [
    {
      name: 'a lease that runs from the answer, not from the call',
      find: 'fence: if (pod.call.age < FENCE) FENCE - pod.call.age else 0',
      replace: 'fence: FENCE',
      breaks: 'capped',
      bounds: DRIFTING,
    },
    {
      name: 'a fence without a margin for clocks that drift',
      find: 'fence: if (pod.call.age < FENCE) FENCE - pod.call.age else 0',
      replace: 'fence: LEASE - pod.call.age',
      breaks: 'capped',
      bounds: DRIFTING,
    },
    {
      name: 'a pod that began anew and sends before it has renewed',
      find: '...pod.sent("renew"), held: kept',
      replace: '...pod.extended(), held: kept',
      breaks: 'capped',
      bounds: PAUSED,
    },
    {
      name: 'a takeover that waits for nobody',
      find: 'if (ask.wait > 0) held else',
      replace: 'if (false) held else',
      breaks: 'capped',
      bounds: PAUSED,
    },
    {
      name: 'a renewal that tells of no takeover',
      find: 'told: redis.evict.exclude(pod.heard).filter(x => x.name == name)',
      replace: 'told: Set()',
      breaks: 'capped',
      bounds: PAUSED,
    },
    {
      name: 'newcomers right after a flush',
      find: 'if (not(redis.isLiving(seat.name)) or redis.recovery > 0) at',
      replace: 'if (not(redis.isLiving(seat.name))) at',
      breaks: 'capped',
      bounds: { ...FLUSHED, BEGINS: '2' },
    },
    {
      name: 'a standby that counts as the server before it',
      find: 'if (st.redis.ranOn == st.redis.server) st',
      replace: 'if (st.redis.ranOn > 0) st',
      breaks: 'capped',
      bounds: FAILED_OVER,
    },
    {
      // Not promised: docs/reliability.md.
      name: 'data from before the first pod joined, which says that nobody holds a seat',
      find: 'standby: FIRST, used',
      replace: 'standby: { ...EMPTY, ranOn: 2, generation: 1 }, used',
      breaks: 'capped',
      bounds: { ...FAILED_OVER, BEGINS: '2' },
    },
  ],
}

export const PLANS: readonly ModelPlan[] = [DELIVERIES, INGEST, TELLING, SEATS]
