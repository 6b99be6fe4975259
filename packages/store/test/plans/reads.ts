// Every read of events and what it may cost: a row for each, with the index that it needs, the most rows of tables and indexes
// that its plans take, and the most blocks that they touch.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import {
  countEvents,
  findAnything,
  findShortened,
  listClaimablePayments,
  listEventNames,
  listEventsAfter,
  findSubscribers,
  listPoliciesWithDueDates,
  listSubscriptions,
  readEventTransactions,
  readFeedPage,
  readFirstEvent,
  readOneTimePage,
  readPaidMonths,
  readPaymentsBySeq,
  readPaymentStats,
  readPaymentTrace,
  readRecentRetractions,
  readRetractionsOf,
  readSubscriptions,
  readTimeline,
  readVolume,
  type EventFilter,
  type Sought,
} from '@payment-tracking/store/reads'
import { findOldMonth, readMonth, surveyMonth } from '@payment-tracking/store/ingest'
import { REPLAYED_TYPES } from '@payment-tracking/store/deliveries'
import { WEBHOOK_EVENT_TYPES } from '@payment-tracking/domain'
import { runIn } from '../../src/core/database/database.js'
import { readNextPayments } from '../../src/ingest/recompute/derive-payments.js'
import { readLatestEvents } from '../../src/ingest/recompute/read-latest-events.js'
import { recomputeGateways, recomputeUserPayments } from '../../src/ingest/recompute/accounts.js'
import { countChecked } from '../../src/reads/lists/check-payments.js'
import { readFeedEntries } from '../../src/messages/routing/feed-entries.js'
import { inTx, pagesOf, run } from './explain.js'
import { EVENTS, OFTEN, OLD, SPREAD, type FilledDatabase } from './filled-database.js'
import { ID, LIMIT, lists, listsOfFrequentKeys, listsOfMonth, PAGE, type Read } from './lists.js'

/** Without statistics Postgres takes a frequent tracking ID for a rare one, and sorts its events. */
export const NEEDS_STATISTICS = [
  'one-time payments of many',
  'a proof among many payments of a tracking ID',
  'a proof by tracking ID and recipient',
  'a page of what a gateway was sent',
  // The first and the last payment within their hours.
  'statistics',
]

const programId = 'any program'
const CLOCK = { nowSeconds: 1_795_000_000, graceSeconds: 7_200, programId: DEFAULT_PROGRAM_ID }

/** Look-ups, figures, and what ingest and the archiver read. */
function others({ filled, retractedId }: FilledDatabase): Read[] {
  const { gateways, policies, trackingIds, recipients, userPayments, timeOf, signatureOf } = filled
  const middle = EVENTS / 2
  const signature = signatureOf(middle)
  const [gateway, policy, trackingId] = [gateways[3]!, policies[7]!, trackingIds[7]!]
  const hour = { startTime: timeOf(middle), endTime: timeOf(middle + 360) }
  const span = { startTime: new Date(timeOf(OLD + 2_000).getTime() + 1), endTime: timeOf(EVENTS - 1_000) }
  const secondsAt = (n: number) => timeOf(n).getTime() / 1000
  const claimable = (of: Parameters<typeof listClaimablePayments>[1]) => run(listClaimablePayments, of, 10)
  const count = (filter: EventFilter) => run(countEvents, filter)
  const stats = (of: Parameters<typeof readPaymentStats>[1]) => run(readPaymentStats, of)
  const volume = (of: string, from: number, to: number) => run(readVolume, of, { from, to, size: 'day' })
  const subscriptions = (of: Parameters<typeof listSubscriptions>[1]) =>
    run(listSubscriptions, of, { limit: LIMIT })
  const feed = (of: string) =>
    run(readFeedPage, { gateway: of, types: WEBHOOK_EVENT_TYPES, after: null, limit: LIMIT })
  const search = (of: Partial<Sought> & { text: string }) => {
    const kinds = {
      isSignature: false,
      isPublicKey: false,
      isTrackingId: false,
      isUuid: false,
      isNumber: false,
    }
    return run(findAnything, [{ ...kinds, ...of }], {
      gateway: OFTEN,
      customers: true,
      webhooks: true,
      expectations: true,
    })
  }
  const stop = new AbortController().signal
  return [
    ['an id', 'events_pkey', 4, 7, run(readEventTransactions, [ID])],
    [
      'the stream',
      'events_position_key',
      260,
      57,
      run(listEventsAfter, { after: 6_000n, upTo: 6_200n, limit: 200 }, new Map()),
    ],
    ['a trace', 'events_signature_hash', 7, 17, run(readPaymentTrace, signature)],
    ['a proof by signature', 'events_signature_hash', 6, 19, claimable({ signature })],
    ['a proof by tracking ID', 'events_tracking_newest', 230, 270, claimable({ trackingId })],
    [
      'a proof by tracking ID and recipient',
      'events_tracking_recipient',
      120,
      160,
      claimable({ trackingId, recipient: recipients[2]! }),
    ],
    [
      'payments of a tracking ID',
      'events_tracking_newest',
      130,
      150,
      run(readOneTimePage, trackingId, PAGE, new Map()),
    ],
    [
      'payments by seq',
      'events_tracking_seq',
      11,
      41,
      run(readPaymentsBySeq, [{ trackingId, from: 1, to: 5 }]),
    ],
    [
      'a check',
      'events_tracking_check',
      120,
      140,
      (_, tx) => countChecked(runIn(tx), trackingId, { amount: '1' }),
    ],
    [
      'recent retractions',
      'events_retracted_at',
      16,
      45,
      store => readRecentRetractions(store, 6_000_000).next(),
    ],
    [
      'retractions of a tracking ID',
      'events_retracted_tracking',
      120,
      170,
      run(readRetractionsOf, [retractedId]),
    ],
    [
      'subscribers',
      'events_gateway_payers',
      22_000,
      4_700,
      run(findSubscribers, gateways[4]!, {}, PAGE, CLOCK),
    ],
    [
      'who never paid',
      'events_gateway_payers',
      2_100,
      180,
      run(findSubscribers, gateways[4]!, { neverPaid: true }, PAGE, CLOCK),
    ],
    ...(['overdue', 'active', 'ended', 'never_paid'] as const).map((state): Read => [
      `customers: ${state}`,
      null,
      40_000,
      40_000,
      run(findSubscribers, gateways[4]!, { state }, PAGE, CLOCK),
    ]),
    // Its payer's 10,000 payments are added up. Its 5,000 events are few enough that sorting costs less than the index.
    [
      'customers of a frequent tracking ID',
      null,
      15_500,
      3_700,
      run(findSubscribers, OFTEN, { search: SPREAD }, PAGE, CLOCK),
    ],
    [
      'the time line of a wallet',
      'events_retracted_payers',
      2_000,
      2_000,
      run(readTimeline, { gateway: OFTEN, wallet: 'payer', programId }, PAGE, CLOCK),
    ],
    ['cohorts', 'events_gateway_payers', 10_100, 5_000, pagesOf(readPaidMonths, OFTEN)],
    ['names', null, 11, 7, run(listEventNames)],
    ['a count', null, 11, 7, count({})],
    ['a count of a name', null, 6, 7, count({ name: 'PaymentRecord' })],
    ['a count of an hour', null, 460, 64, count(hour)],
    ['a count between two moments', 'events_newest', 720, 200, count(span)],
    ['a count of a name between two moments', null, 590, 110, count({ name: 'PaymentRecord', ...span })],
    ['a count of a gateway', 'events_gateway_rare', 110, 70, count({ gateway })],
    ['a count of a gateway between two moments', null, 110, 90, count({ gateway, ...span })],
    ['a count of a gateway of many payments', null, 20, 30, count({ gateway: OFTEN })],
    ['a count since a moment', null, 660, 73, count({ startTime: span.startTime })],
    ['statistics', null, 24, 66, stats({})],
    ['statistics of a gateway', null, 24, 66, stats({ gateway })],
    ['statistics between two moments', 'events_newest', 1_780, 320, stats(span)],
    ['statistics of a gateway between two moments', null, 140, 100, stats({ gateway, ...span })],
    [
      'volume',
      'events_gateway_newest',
      6_800,
      870,
      volume(gateways[4]!, secondsAt(OLD + 2_000), secondsAt(EVENTS - 1_000)),
    ],
    [
      'volume of payments of another day',
      'events_paid_other_day',
      130,
      140,
      volume(gateway, 1_767_225_600, 1_767_571_200),
    ],
    ['due dates', null, 120, 29, run(listPoliciesWithDueDates, gateway, CLOCK)],
    ['policies and who left', 'events_gateway_rare', 500, 350, pagesOf(readSubscriptions, gateway)],
    ['subscriptions of a gateway', null, 120, 27, subscriptions({ gateway: gateways[1]! })],
    ['subscriptions of a recipient', null, 120, 24, subscriptions({ recipient: recipients[1]! })],
    ['subscriptions of a user payment', null, 16, 21, subscriptions({ userPayment: userPayments[1]! })],
    ['a subscription', null, 110, 19, subscriptions({ trackingId: trackingIds[1]! })],
    ['latest events', 'events_changes', 120, 170, inTx(readLatestEvents, [policy], programId)],
    ['latest payments', 'events_policy_payments', 120, 170, inTx(readLatestEvents, [policy], programId)],
    ['a gateway again', 'events_changes', 6, 13, inTx(recomputeGateways, [gateway], programId)],
    [
      'a user payment again',
      'events_changes',
      110,
      17,
      inTx(recomputeUserPayments, [userPayments[2]!], programId),
    ],
    [
      'the next payments',
      'events_policy_payments',
      600,
      2_500,
      inTx(readNextPayments, [{ policy: OFTEN, after: '' }], { limit: 500, programId }),
    ],
    ['a feed', 'messages_payments', 500, 700, feed(gateway)],
    ['a feed with many payments', 'messages_payments', 500, 700, feed(OFTEN)],
    [
      'a page of what a gateway was sent',
      'messages_payments',
      1_100,
      2_500,
      inTx(readFeedEntries, OFTEN, {
        after: { position: 0n, sequence: 0n },
        last: 10_000_000n,
        types: REPLAYED_TYPES,
        limit: 500,
      }),
    ],
    // A row or two for each kind, whatever the text names. The 80 policies here are read whole, once for each probe.
    [
      'a search by signature',
      'events_signature_hash',
      20,
      60,
      search({ text: signature, isSignature: true }),
    ],
    [
      'a search for who paid directly',
      'events_payer_direct',
      250,
      90,
      search({ text: 'payer 5', isPublicKey: true }),
    ],
    [
      'a search for whom much was paid to',
      'events_recipient_direct',
      250,
      90,
      search({ text: 'recipient 5', isPublicKey: true }),
    ],
    [
      'a search for a customer',
      'events_gateway_payers',
      250,
      90,
      search({ text: 'payer', isPublicKey: true }),
    ],
    [
      'a search for a shortened address',
      null,
      900,
      600,
      run(findShortened, { first: 'paye', last: 'er 5' }, OFTEN),
    ],
    ['a search for a frequent tracking ID', null, 260, 110, search({ text: SPREAD, isTrackingId: true })],
    [
      'a search by how a tracking ID begins',
      'events_gateway_direct',
      260,
      110,
      search({ text: 'dir', isTrackingId: true }),
    ],
    ['where lists begin', null, 7, 16, readFirstEvent],
    ['the oldest month', null, 6, 11, run(findOldMonth, new Date('2020-06-01Z'))],
    // Pages of a thousand rows.
    ['the check of a month', null, 5_100, 3_300, run(surveyMonth, '2020-03', { settled: 0n, stop })],
    ['the events of a month', null, 5_100, 3_300, pagesOf(readMonth, '2020-03')],
  ]
}

export const READS = (database: FilledDatabase): Read[] => [
  ...lists(database),
  ...listsOfFrequentKeys(),
  ...listsOfMonth(database),
  ...others(database),
]
