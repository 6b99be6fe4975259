// The exports of a gateway as CSV, line by line: the next page is read after the client has taken the previous page.
import { csvLine, decimalAmount, type Tokens } from '@payment-tracking/domain'
import {
  findSubscribers,
  listMerchantPolicies,
  readEventPage,
  type EventKey,
  type PaymentFilter,
  type CustomerRules,
  type PolicyKey,
} from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'
import type { Static } from 'typebox'
import type { Cohorts } from './cohort-schemas.js'
import { toSubscriber } from './customer-schemas.js'
import { writtenAmounts, writtenColumns, type Lines } from './export-amounts.js'
import { toMerchantPolicy, type Revenue } from './merchant-schemas.js'
import { cohortLines, movementLines, revenueLines, seriesLines } from './revenue-lines.js'

export const EXPORT_KINDS = [
  'payments',
  'policies',
  'subscribers',
  'revenue',
  'series',
  'movements',
  'cohorts',
] as const
export type ExportKind = (typeof EXPORT_KINDS)[number]

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
  // Only an execution of a composable policy tells its fees.
  ...['gatewayFee', 'protocolFee', 'gatewayFeeDecimal', 'protocolFeeDecimal'],
]

type Fields = Record<string, string | number | undefined>

/** A payment as lists answer it. */
interface Payment extends Record<'signature' | 'timestamp' | 'amountString' | 'finality', string> {
  slot: number
  data: Fields
  payer: string | null
  recipient: string | null
  tokenMint: string | null
  trackingId: string | null
  retracted?: boolean
}

/** The same as `findMerchantPayments` asks Postgres for: a file may take its time, and walks all payments of its span. */
const passes =
  ({ tokenMint, standing, minAmount, maxAmount, trackingId }: PaymentFilter) =>
  (payment: Payment): boolean =>
    (tokenMint === undefined || payment.tokenMint === tokenMint) &&
    (standing === undefined || standing === (payment.retracted ? 'retracted' : payment.finality)) &&
    (minAmount === undefined || BigInt(payment.amountString) >= minAmount) &&
    (maxAmount === undefined || BigInt(payment.amountString) <= maxAmount) &&
    (trackingId === undefined || (payment.trackingId?.startsWith(trackingId) ?? false))

/** As the chain tells them, in the payment's own token. */
const feesOf = ({ gateway_fee: gateway, protocol_fee: protocol }: Fields) =>
  [gateway, protocol].map(fee => (fee === undefined ? null : BigInt(fee)))

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
    const page = await readEventPage(store, span, { limit: PAGE, offset: 0, after }, tokens)
    yield (JSON.parse(`[${page.text}]`) as Payment[])
      .filter(passes(payments))
      .map(({ signature, slot, timestamp, data: fields, amountString, finality, ...payment }) => {
        const [amount, token] = [BigInt(amountString), tokens.get(payment.tokenMint ?? '')]
        return csvLine([
          ...[signature, slot, timestamp, fields.payment_policy ?? fields.composable_policy ?? null, gateway],
          ...[amount, payment.payer, payment.recipient, fields.record_id ?? null],
          ...[payment.tokenMint, payment.trackingId, finality],
          ...(token
            ? [decimalAmount(amount, token.decimals), token.symbol, token.decimals]
            : [null, null, null]),
          ...feesOf(fields),
          ...writtenAmounts(tokens, payment.tokenMint, ...feesOf(fields)).slice(0, 2),
        ])
      })
      .join('')
    if (page.count < PAGE) return
    after = page.last
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
  ...writtenColumns('amount', 'totalPaid'),
]

async function* policyLines(store: Store, gateway: string, tokens: Tokens): Lines {
  yield csvLine(POLICY_COLUMNS)
  let after: PolicyKey | undefined
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
          ...writtenAmounts(tokens, policy.tokenMint, policy.amount, policy.totalPaid),
        ]),
      )
      .join('')
    const last = policies.at(-1)
    if (policies.length < PAGE || !last) return
    after = { createdAt: last.createdAt, address: last.address }
  }
}

const SUBSCRIBER_COLUMNS = [
  ...['wallet', 'policyCount', 'totalPaid', 'lastActiveAt', 'tokenMint', 'paymentCount', 'state', 'name'],
  ...writtenColumns('totalPaid'),
  // Of a state `ended`: whether there never was a subscription.
  'oneTime',
]

/** One line for each token in which a wallet pays. */
async function* subscriberLines(
  store: Store,
  gateway: string,
  { clock, tokens }: Pick<ExportParts, 'clock' | 'tokens'>,
): Lines {
  yield csvLine(SUBSCRIBER_COLUMNS)
  let after: string | undefined
  do {
    const page = { limit: SUBSCRIBERS, offset: 0, after }
    const { items, next } = await findSubscribers(store, gateway, {}, page, clock)
    yield items
      .map(item => toSubscriber(item))
      .flatMap(({ wallet, name, state, oneTime, policyCount, lastActiveAt, byToken }) =>
        byToken.map(({ tokenMint, totalPaid, paymentCount }) =>
          csvLine([
            ...[wallet, policyCount, BigInt(totalPaid), time(lastActiveAt), tokenMint],
            ...[paymentCount, state, name],
            ...writtenAmounts(tokens, tokenMint, totalPaid),
            String(oneTime),
          ]),
        ),
      )
      .join('')
    after = next ?? undefined
  } while (after !== undefined)
}

export interface ExportParts {
  /** whose amounts are also written as people read them */
  tokens: Tokens
  /** which payments */
  payments: PaymentFilter
  clock: CustomerRules
  /** the figures of the span */
  readRevenue: () => Promise<Static<typeof Revenue>>
  readCohorts: () => Promise<Static<typeof Cohorts>>
}

export async function exportLines(
  store: Store,
  gateway: string,
  kind: ExportKind,
  parts: ExportParts,
): Promise<Lines> {
  const { tokens, readRevenue, readCohorts } = parts
  switch (kind) {
    case 'payments':
      return paymentLines(store, gateway, parts)
    case 'policies':
      return policyLines(store, gateway, tokens)
    case 'subscribers':
      return subscriberLines(store, gateway, parts)
    case 'revenue':
      return revenueLines(await readRevenue(), tokens)
    case 'series':
      return seriesLines(await readRevenue(), tokens)
    case 'movements':
      return movementLines(await readRevenue(), tokens)
    case 'cohorts':
      return cohortLines(await readCohorts(), tokens)
  }
}
