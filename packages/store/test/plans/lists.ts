// Every list of events and what a page of it may cost.
import {
  listClaimablePayments,
  readEventPage,
  readOneTimePage,
  type EventFilter,
} from '@payment-tracking/store/reads'
import type { EventKey } from '../../src/reads/cursors.js'
import { run, type Query } from './explain.js'
import { EVENTS, OFTEN, OLD, oftenAt, oftenSlot, SPREAD, type FilledDatabase } from './filled-database.js'

/** What, an index that it needs, the most rows, the most blocks. */
export type Read = [name: string, index: string | null, rows: number, blocks: number, query: Query]

export const LIMIT = 50
export const PAGE = { limit: LIMIT, offset: 0 }
export const ID = '00000000-0000-4000-8000-000000000000'
const list =
  (filter: EventFilter, after?: EventKey): Query =>
  store =>
    readEventPage(store, filter, { ...PAGE, ...(after && { after }) }, new Map())

/** Lists that end in the month of the oldest events, because they begin in it, or have a few events after it. */
export function listsOfMonth({ filled }: FilledDatabase): Read[] {
  const { gateways, policies, trackingIds, recipients, slotOf, timeOf } = filled
  const [gateway, paymentPolicy, trackingId] = [gateways[3]!, policies[7]!, trackingIds[7]!]
  const inMonth = { endTime: new Date('2020-03-20Z') }
  const name = 'PaymentPolicyCreated'
  const newer = OLD + LIMIT / 2
  const after = { occurredAt: timeOf(newer), slot: slotOf(newer), index: 0, id: ID }
  return [
    ['until March', 'events_newest', 69, 73, list(inMonth)],
    ['after a cursor, into March', 'events_newest', 71, 58, list({}, after)],
    ['payments, into March', 'events_newest', 71, 58, list({ payments: true }, after)],
    ['a name, into March', null, 410, 190, list({ name }, after)],
    ['a gateway, into March', null, 68, 17, list({ gateway }, after)],
    ['a gateway until March', null, 69, 74, list({ gateway, ...inMonth })],
    ['a name of a gateway until March', null, 14, 17, list({ gateway, name, ...inMonth })],
    ['a policy until March', null, 28, 32, list({ paymentPolicy, ...inMonth })],
    ['a tracking ID until March', null, 26, 29, list({ trackingId, ...inMonth })],
    ['a recipient until March', null, 14, 17, list({ name, recipient: recipients[2]!, ...inMonth })],
    ['slots, into March', 'events_slot', 73, 39, list({ maxSlot: slotOf(newer) })],
  ]
}

/** A key of which there are 10,000 events, all older than the other keys' events. */
export function listsOfFrequentKeys(): Read[] {
  const times = { startTime: oftenAt(3_600), endTime: oftenAt(9_000) }
  const after = { occurredAt: oftenAt(7_200), slot: oftenSlot(7_200), index: 0, id: ID }
  const keys: [string, string, EventFilter][] = [
    ['a tracking ID', 'events_tracking_newest', { trackingId: SPREAD }],
    ['a policy', 'events_policy_newest', { paymentPolicy: OFTEN }],
    ['a gateway', 'events_gateway_newest', { gateway: OFTEN }],
  ]
  return [
    ...keys.flatMap(([key, index, filter]): Read[] => [
      [`${key} with many events`, index, 70, 40, list(filter)],
      [`payments of ${key} with many`, index, 70, 40, list({ ...filter, payments: true })],
      [`${key} with many, retracted too`, index, 70, 40, list({ ...filter, retracted: true })],
      [`${key} with many, between times`, index, 70, 40, list({ ...filter, ...times })],
      [`${key} with many, after a cursor`, index, 70, 40, list(filter, after)],
      [
        `${key} with many, of a name, after a cursor, between times`,
        index,
        70,
        40,
        list({ ...filter, ...times, name: 'PaymentRecord' }, after),
      ],
    ]),
    [
      'one-time payments of many',
      'events_tracking_newest',
      69,
      37,
      run(readOneTimePage, SPREAD, PAGE, new Map()),
    ],
    [
      'a proof among many payments of a tracking ID',
      null,
      630,
      640,
      run(listClaimablePayments, { trackingId: SPREAD, recipient: 'nobody' }, 10),
    ],
  ]
}

/** Lists of events, each with its first page, and many with the page after a cursor. */
export function lists({ filled }: FilledDatabase): Read[] {
  const { slotOf, timeOf, signatureOf } = filled
  const middle = EVENTS / 2
  const hour = { startTime: timeOf(middle), endTime: timeOf(middle + 360) }
  const [gateway, paymentPolicy, trackingId] = [
    filled.gateways[3]!,
    filled.policies[7]!,
    filled.trackingIds[7]!,
  ]
  const after = { occurredAt: timeOf(middle), slot: slotOf(middle), index: 0, id: ID }
  const rare = 'PaymentPolicyStatusChanged'
  const created = 'PaymentPolicyCreated'
  const both = (
    name: string,
    index: string | null,
    rows: number,
    blocks: number,
    filter: EventFilter,
  ): Read[] => [
    [name, index, rows, blocks, list(filter)],
    [`${name}, after a cursor`, index, rows, blocks, list(filter, after)],
  ]
  return [
    ...both('all', 'events_newest', 71, 22, {}),
    ...both('payments', 'events_newest', 91, 28, { payments: true }),
    ...both('the name of nearly all', 'events_newest', 91, 28, { name: 'PaymentRecord' }),
    ...both('a rare name', 'events_name_rare', 310, 360, { name: 'PaymentGatewayCreated' }),
    ...both('no such name', null, 4, 18, { name: 'Nothing' }),
    ['a signature', 'events_signature_hash', 7, 21, list({ signature: signatureOf(middle) })],
    ['a slot', 'events_slot', 7, 21, list({ slot: slotOf(middle) })],
    ['slot bounds', 'events_slot', 1_300, 150, list({ minSlot: slotOf(5_000), maxSlot: slotOf(6_000) })],
    ['a highest slot', 'events_slot', 72, 36, list({ maxSlot: slotOf(middle) })],
    ['a lowest slot', 'events_slot', 72, 36, list({ minSlot: slotOf(middle) })],
    ['an hour', 'events_newest', 460, 71, list(hour)],
    ['old times', 'events_newest', 71, 24, list({ endTime: timeOf(OLD + 100) })],
    ...both('a gateway', 'events_gateway_newest', 72, 74, { gateway }),
    ...both('payments of a gateway', 'events_gateway_newest', 81, 83, { gateway, payments: true }),
    ...both('a gateway and a name', 'events_gateway_newest', 81, 83, { gateway, name: 'PaymentRecord' }),
    ...both('a gateway and a rare name', 'events_gateway_rare', 21, 34, { gateway, name: rare }),
    ['a gateway and a name it has none of', null, 4, 7, list({ gateway, name: 'GatewaySignerChanged' })],
    ['a gateway in an hour', null, 16, 19, list({ gateway, ...hour })],
    ...both('a policy', 'events_policy_newest', 72, 77, { paymentPolicy }),
    ['a policy in an hour', null, 8, 12, list({ paymentPolicy, ...hour })],
    ['a policy and a rare name', null, 9, 12, list({ paymentPolicy, name: rare })],
    ['a policy and its creation', 'events_policy_rare', 17, 24, list({ paymentPolicy, name: created })],
    ...both('a tracking ID', 'events_tracking_newest', 72, 76, { trackingId }),
    ['a tracking ID and a name', null, 78, 82, list({ trackingId, name: 'PaymentRecord' })],
    ['a tracking ID and a rare name', 'events_tracking_rare', 14, 22, list({ trackingId, name: created })],
    ['a rare name in an hour', null, 36, 16, list({ name: created, ...hour })],
    ...both('a recipient', 'events_recipient_rare', 56, 59, {
      name: created,
      recipient: filled.recipients[2]!,
    }),
    ...both('a user payment', 'events_user_payment_rare', 21, 24, {
      name: 'UserPaymentCreated',
      userPayment: filled.userPayments[2]!,
    }),
    [
      'a user payment of created policies',
      null,
      36,
      41,
      list({ name: created, userPayment: filled.userPayments[2]! }),
    ],
    [
      'an authority',
      'events_authority_rare',
      13,
      17,
      list({ name: 'PaymentGatewayCreated', authority: filled.authorities[19]! }),
    ],
    ['a direct payer', 'events_payer_direct', 12, 14, list({ payments: true, directPayer: 'payer 7' })],
    [
      'a direct recipient',
      'events_recipient_direct',
      12,
      14,
      list({ payments: true, directRecipient: 'recipient 7' }),
    ],
  ]
}
