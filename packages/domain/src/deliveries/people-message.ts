// What people read in Slack or Discord: one line for each message, made of its stored body when it is sent. Same body, same
// line, so every attempt sends the same bytes while `TOKENS` and the format stay. Ingest needs no names of tokens for it.
import { visibleText } from '@payment-tracking/contracts'
import { nameAmount, shortAddress } from '../tokens/decimal-amount.js'
import type { Tokens } from '../tokens/tokens.js'

/** Formats that a person reads; the others are for programs. */
export const PEOPLE_FORMATS = ['slack', 'discord'] as const
export type PeopleFormat = (typeof PEOPLE_FORMATS)[number]

export const isForPeople = (format: string): format is PeopleFormat =>
  (PEOPLE_FORMATS as readonly string[]).includes(format)

/**
 * Signs that begin a mention, a link or markup in Slack or Discord, and the lookalikes that are sent instead. An escape would not do:
 * Slack, Discord and their apps each escape in another way, and a lookalike has no meaning in any of them.
 */
const LOOKALIKES: Readonly<Record<string, string>> = {
  '&': '＆',
  '<': '‹',
  '>': '›',
  '@': '＠',
  ':': '∶',
  '*': '∗',
  '~': '∼',
  '`': 'ˋ',
  '|': '¦',
  '[': '［',
  ']': '］',
  '\\': '＼',
  '#': '＃',
}
const SIGNS = /[&<>@:*~`|[\]\\#]/g
/** Inside a word an underscore is only that. */
const EMPHASIS = /(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu
/** Slack makes a link of `evil.example`. */
const DOMAIN_DOT = /\.(?=\p{L})/gu
/** Quotation marks, and what a reader takes for one: none of them ends a quotation of ours. */
const QUOTES =
  /[\p{Pi}\p{Pf}"\u02ba\u02dd\u02ee\u02f6\u05f4\u201a\u201e\u2033\u2034\u2036\u2037\u2057\u275b-\u2760\u2e42\u301d-\u301f\u3003\uff02\u{1f676}-\u{1f678}]/gu
/** No memo is longer. */
const LONGEST = 64

/** A text that a stranger wrote, so that it is only text. What is not seen is written as its code. */
export const neutralText = (text: string): string =>
  visibleText(Array.from(text).slice(0, LONGEST).join(''))
    .replaceAll(QUOTES, "'")
    .replaceAll(SIGNS, sign => LOOKALIKES[sign]!)
    .replaceAll(EMPHASIS, '＿')
    .replaceAll(DOMAIN_DOT, '․')

/** The same within quotation marks of ours: a text may read like what the service says, and cannot end its quotation. */
export const quoteText = (text: string): string => `“${neutralText(text)}”`

type Data = Readonly<Record<string, unknown>>

const TITLES: Readonly<Record<string, string>> = {
  'payment.executed': 'Payment received',
  'payment.retracted': 'Payment retracted by the chain',
  'subscription.due_soon': 'Subscription due soon',
  'webhook.test': 'Test message',
  'webhook.failing': 'Webhook fails',
  'webhook.deactivated': 'Webhook deactivated',
}

/** `expectation.paid` is “Expectation paid”. */
const titleOf = (type: string): string => {
  const words = type.replaceAll(/[._]/g, ' ')
  return TITLES[type] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

const moment = (seconds: number): string =>
  `${new Date(seconds * 1_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** Each part of a line, in order: which member of the data it needs, and what it says. */
const PARTS: readonly [member: string, say: (value: never, data: Data, tokens: Tokens) => string][] = [
  [
    'amountString',
    (raw: string, data, tokens) => {
      const amount = nameAmount(BigInt(raw), data.tokenMint as string | null, tokens)
      return typeof data.paidAmountString === 'string'
        ? `${nameAmount(BigInt(data.paidAmountString), data.tokenMint as string | null, tokens)} paid of ${amount}`
        : amount
    },
  ],
  ['cause', (cause: string) => cause.replaceAll('_', ' ')],
  ['dueAt', (at: number) => `due ${moment(at)}`],
  ['payer', (address: string) => `from ${shortAddress(address)}`],
  ['recipient', (address: string) => `to ${shortAddress(address)}`],
  ['trackingId', (text: string) => `tracking ID ${quoteText(text)}`],
  ['reference', (text: string) => `reference ${quoteText(text)}`],
  ['webhookId', (id: number) => `webhook ${id}`],
  ['reason', (reason: string) => `reason ${neutralText(reason)}`],
  ['failingSince', (at: string) => `since ${moment(Date.parse(at) / 1_000)}`],
  ['origin', (origin: string) => neutralText(new URL(origin).host)],
  ['signature', (signature: string) => `transaction ${shortAddress(signature)}`],
]

/**
 * Writes a message as one line.
 * @param body the stored body, which is in the format `standard`
 * @returns `Payment received: 9.99 USDC, from 7xKX…wvL5, to …, tracking ID “order-7”`
 */
export function renderLine(type: string, body: string, tokens: Tokens): string {
  const data = (JSON.parse(body) as { data: Data }).data
  const risk = data.dueRisk as Data | null | undefined
  const shown: Data = risk ? { ...data, cause: risk.cause } : data
  const parts = PARTS.flatMap(([member, say]) => {
    const value = shown[member]
    return value === null || value === undefined || value === '' ? [] : [say(value as never, shown, tokens)]
  })
  return parts.length === 0 ? titleOf(type) : `${titleOf(type)}: ${parts.join(', ')}`
}

/**
 * The body of a request to a webhook. Slack and Discord get JSON of their own with the line in it; every other format gets the stored
 * body, unchanged.
 */
export function bodyInFormat(
  { type, body }: { type: string; body: string },
  format: string,
  tokens: Tokens,
): string {
  if (!isForPeople(format)) return body
  const line = renderLine(type, body, tokens)
  return JSON.stringify(
    format === 'slack' ? { text: line } : { content: line, allowed_mentions: { parse: [] } },
  )
}
