import t from 'tap'
import { DIRECT_TRANSFER_POLICY, route, ROUTE_NAMES, type Route } from '../src/index.js'

const PAID = 'payment.executed'
const EVENT_TYPES = [
  { type: PAID, eventTypes: null, asks: true },
  { type: PAID, eventTypes: [], asks: true },
  { type: PAID, eventTypes: [PAID, 'subscription.created'], asks: true },
  { type: PAID, eventTypes: ['subscription.created'], asks: false },
  { type: 'subscription.created', eventTypes: ['subscription.created'], asks: true },
  { type: 'subscription.created', eventTypes: null, asks: false },
  { type: 'subscription.created', eventTypes: [PAID], asks: false },
]
const KNOWN = [
  { filters: null, tokenMint: null, judged: 'passes' },
  { filters: { tokenMint: 'M' }, tokenMint: 'M', judged: 'passes' },
  { filters: { tokenMint: 'M' }, tokenMint: 'N', judged: 'refused' },
  { filters: { tokenMint: 'M' }, tokenMint: null, judged: 'unknown' },
  { filters: null, tokenMint: undefined, judged: 'refused' },
] as const
const BOTH = [true, false]

/** The rules in words, one after the other, where `route` looks them up. */
function expectedOf(of: {
  asks: boolean
  active: boolean
  judged: string
  canCome: boolean
  waits: boolean
  final: boolean
}): Route {
  if (!of.asks || !of.active || of.judged === 'refused') return 'drop'
  if (of.judged === 'unknown') return of.canCome ? 'await-details' : 'drop'
  return of.waits && !of.final ? 'await-finality' : 'send'
}

t.test('every combination has one way', async t => {
  const met = new Map<Route, number>()
  for (const { type, eventTypes, asks } of EVENT_TYPES)
    for (const active of BOTH)
      for (const { filters, tokenMint, judged } of KNOWN)
        for (const canCome of BOTH)
          for (const waits of BOTH)
            for (const final of BOTH) {
              const webhook = { active, eventTypes, filters, finality: waits ? 'finalized' : 'confirmed' }
              const known = tokenMint === undefined ? null : { tokenMint, recipient: 'R', trackingId: null }
              const policy = canCome ? 'policy' : DIRECT_TRANSFER_POLICY
              const decided = route(webhook, { type, policy }, known, final)
              met.set(decided, (met.get(decided) ?? 0) + 1)
              t.equal(
                decided,
                expectedOf({ asks, active, judged, canCome, waits, final }),
                JSON.stringify({ webhook, type, known, canCome, final }),
              )
            }
  t.same([...met.keys()].sort(), [...ROUTE_NAMES].sort(), 'every way is met')
})
