// The exports of a gateway as CSV, line by line: the next page is read after the client has taken the previous page.
import { setImmediate as giveWay } from 'node:timers/promises'
import { csvLine, decimalAmount, MOVEMENTS, type Tokens } from '@payment-tracking/domain'
import {
  listEvents,
  listMerchantPolicies,
  listSubscribers,
  type EventKey,
  type PaymentFilter,
  type CustomerRules,
  type StoredEvent,
  type SubscriptionKey,
} from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'
import type { Static } from 'typebox'
import type { Cohorts } from './cohort-schemas.js'
import { toSubscriber } from './customer-schemas.js'
import { toMerchantPolicy, type Revenue } from './merchant-schemas.js'

export const EXPORT_KINDS = [
  'payments',
  'policies',
  'subscribers',
  'revenue',
  'movements',
  'cohorts',
] as const
export type ExportKind = (typeof EXPORT_KINDS)[number]

type Lines = AsyncGenerator<string>

const PAGE = 1_000
/** Each has payments to add up, so a page is smaller. */
const SUBSCRIBERS = 100
/** ISO 8601; empty for none. */
const time = (seconds: number | bigint | null): string | null => {
  const date = new Date(Number(seconds) * 1000)
  return seconds === null || Number.isNaN(date.getTime()) ? null : date.toISOString()
}

const PAYMENT_COLUMNS = [
  ...[
    'signature',
    'slot',
    'timestamp',
    'paymentPolicy',
    'gateway',
    'amount',
    'payer',
    'recipient',
    'recordId',
  ],
  ...['tokenMint', 'trackingId', 'finality'],
  // As people read it; empty where `TOKENS` does not name the token.
  ...['amountDecimal', 'symbol', 'decimals'],
]

/** The same as `findMerchantPayments` asks Postgres for: a file may take its time, and walks all payments of its span. */
const passes =
  ({ tokenMint, standing, minAmount, maxAmount, trackingId }: PaymentFilter) =>
  ({ payment, finality, retracted }: StoredEvent): boolean =>
    payment !== null &&
    (tokenMint === undefined || payment.tokenMint === tokenMint) &&
    (standing === undefined || standing === (retracted ? 'retracted' : finality)) &&
    (minAmount === undefined || BigInt(payment.amount) >= minAmount) &&
    (maxAmount === undefined || BigInt(payment.amount) <= maxAmount) &&
    (trackingId === undefined || (payment.trackingId?.startsWith(trackingId) ?? false))

async function* paymentLines(
  store: Store,
  gateway: string,
  { tokens, payments }: Pick<ExportParts, 'tokens' | 'payments'>,
): Lines {
  yield csvLine(PAYMENT_COLUMNS)
  const { startTime, endTime, standing } = payments
  const span = { gateway, payments: true, startTime, endTime, retracted: standing === 'retracted' }
  let after: EventKey | undefined
  for (;;) {
    const events = await listEvents(store, span, { limit: PAGE, offset: 0, after })
    yield events
      .filter(passes(payments))
      .map(({ signature, slot, timestamp, data, payment, finality }) => {
        const fields = JSON.parse(data) as Record<string, string | number | undefined>
        const [amount, token] = [BigInt(payment!.amount), tokens.get(payment!.tokenMint ?? '')]
        return csvLine([
          ...[signature, slot, timestamp, fields.payment_policy ?? fields.composable_policy ?? null, gateway],
          ...[amount, payment!.payer, payment!.recipient, fields.record_id ?? null],
          ...[payment!.tokenMint, payment!.trackingId, finality],
          ...(token
            ? [decimalAmount(amount, token.decimals), token.symbol, token.decimals]
            : [null, null, null]),
        ])
      })
      .join('')
    const last = events.at(-1)
    if (events.length < PAGE || !last) return
    after = { id: last.id, slot: last.slot, index: last.index, occurredAt: new Date(last.timestamp) }
  }
}

const POLICY_COLUMNS = [
  ...['policyAddress', 'family', 'policyId', 'variant', 'status', 'amount', 'paymentFrequency', 'recipient'],
  ...[
    'userPayment',
    'createdAt',
    'paymentCount',
    'totalPaid',
    'lastPaymentAt',
    'tokenMint',
    'wallet',
    'trackingId',
  ],
]

async function* policyLines(store: Store, gateway: string): Lines {
  yield csvLine(POLICY_COLUMNS)
  let after: SubscriptionKey | undefined
  for (;;) {
    const policies = await listMerchantPolicies(store, gateway, { limit: PAGE, offset: 0, after })
    yield policies
      .map(toMerchantPolicy)
      .map(policy =>
        csvLine([
          ...[policy.policyAddress, policy.family, policy.policyId, policy.variant, policy.status],
          ...[policy.amount && BigInt(policy.amount), policy.paymentFrequency, policy.recipient],
          ...[policy.userPayment, time(policy.createdAt), policy.paymentCount, BigInt(policy.totalPaid)],
          ...[time(policy.lastPaymentAt), policy.tokenMint, policy.wallet, policy.trackingId],
        ]),
      )
      .join('')
    const last = policies.at(-1)
    if (policies.length < PAGE || !last) return
    after = { createdAt: last.createdAt, address: last.address }
  }
}

/** One line for each token in which a wallet pays. */
async function* subscriberLines(store: Store, gateway: string, clock: CustomerRules): Lines {
  yield csvLine([
    'wallet',
    'policyCount',
    'totalPaid',
    'lastActiveAt',
    'tokenMint',
    'paymentCount',
    'state',
    'name',
  ])
  let after: string | undefined
  do {
    const page = { limit: SUBSCRIBERS, offset: 0, after }
    const { items, next } = await listSubscribers(store, gateway, page, clock)
    yield items
      .map(item => toSubscriber(item))
      .flatMap(({ wallet, name, state, policyCount, lastActiveAt, byToken }) =>
        byToken.map(({ tokenMint, totalPaid, paymentCount }) =>
          csvLine([
            ...[wallet, policyCount, BigInt(totalPaid), time(lastActiveAt), tokenMint],
            ...[paymentCount, state, name],
          ]),
        ),
      )
      .join('')
    after = next ?? undefined
  } while (after !== undefined)
}

/**
 * Two tables, as in the incumbent's file: totals, an empty line, and the series. Tokens with most payments come first, so
 * a reader of the first row reads the figures that the incumbent's client shows.
 */
async function* revenueLines(revenue: Static<typeof Revenue>): Lines {
  const { byToken, startTime, endTime, bucket } = revenue
  yield csvLine([
    ...['mrr', 'recognizedRevenue', 'activeSubscriptionCount'],
    ...['tokenMint', 'paymentCount', 'startTime', 'endTime', 'bucket'],
  ])
  const span = [startTime, endTime, bucket]
  for (const each of byToken) {
    const figures = [BigInt(each.mrr), BigInt(each.recognizedRevenue), each.activeSubscriptionCount]
    yield csvLine([...figures, each.tokenMint, each.paymentCount, ...span])
  }
  if (byToken.length === 0) yield csvLine([0, 0, 0, null, 0, ...span])
  yield '\r\n'
  yield csvLine(['ts', 'mrr', 'recognized', 'tokenMint'])
  for (const { tokenMint, series } of byToken) {
    await giveWay()
    yield series
      .map(({ ts, mrr, recognized }) => csvLine([ts, BigInt(mrr), BigInt(recognized), tokenMint]))
      .join('')
  }
}

/** Each bucket of each token: what it begins with and the movements add up to what it ends with. */
async function* movementLines({ byToken }: Static<typeof Revenue>): Lines {
  yield csvLine(['ts', 'mrrAtStart', ...MOVEMENTS, 'mrr', 'tokenMint'])
  for (const { tokenMint, mrrAtStart, series } of byToken) {
    await giveWay()
    let start = mrrAtStart
    const lines = series.map(({ ts, mrr, movements }) => {
      const figures = [start, ...MOVEMENTS.map(name => movements[name]), mrr]
      start = mrr
      return csvLine([ts, ...figures.map(BigInt), tokenMint])
    })
    yield lines.join('')
  }
}

async function* cohortLines({ byToken }: Static<typeof Cohorts>): Lines {
  yield csvLine(['cohort', 'monthsSince', 'wallets', 'volume', 'tokenMint'])
  for (const { tokenMint, cohorts } of byToken) {
    await giveWay()
    yield cohorts
      .flatMap(({ month, months }) =>
        months.map(({ monthsSince, wallets, volume }) =>
          csvLine([month, monthsSince, wallets, BigInt(volume), tokenMint]),
        ),
      )
      .join('')
  }
}

export interface ExportParts {
  /** whose amounts are also written as people read them */
  tokens: Tokens
  /** which payments */
  payments: PaymentFilter
  clock: CustomerRules
  /** the figures of the gateway's whole life */
  readRevenue: () => Promise<Static<typeof Revenue>>
  readCohorts: () => Promise<Static<typeof Cohorts>>
}

export async function exportLines(
  store: Store,
  gateway: string,
  kind: ExportKind,
  { clock, readRevenue, readCohorts, ...payments }: ExportParts,
): Promise<Lines> {
  switch (kind) {
    case 'payments':
      return paymentLines(store, gateway, payments)
    case 'policies':
      return policyLines(store, gateway)
    case 'subscribers':
      return subscriberLines(store, gateway, clock)
    case 'revenue':
      return revenueLines(await readRevenue())
    case 'movements':
      return movementLines(await readRevenue())
    case 'cohorts':
      return cohortLines(await readCohorts())
  }
}
