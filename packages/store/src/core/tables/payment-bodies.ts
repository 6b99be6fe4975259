// How the table `messages` keeps the body of a payment: as its values, without the text around them. That is a third of the body. A form is
// the text around the values, and the column `form` has its number. Where `form` is null, the row has the whole body.
//
// A body stays byte for byte what was made once, as long as its row. So a form never changes: where the text of a payment's message
// changes, another form gets the next number, and the old one stays as long as its rows. A release that writes a form comes after one
// that reads it. Until then, bodies that fit no form are kept whole.
//
// A form also leaves out what stands in the row already, and the signature and the policy, which stand in the event. No statement changes
// these two, or deletes an event. All else that an event has can change later, such as its payer or its slot. So the body keeps it.
import { raw, type Sql } from '../database/sql.js'

/** JSON escapes this character, so no value holds it. */
const SEPARATOR = '\u001f'

/** What a form takes from the row and its event. */
const KNOWN = ['messageId', 'eventId', 'gateway', 'position', 'signature', 'paymentPolicy']

/** The same of a row, as one text: null where the event is missing, which no transaction can see. */
const knownOf = (m: string): string =>
  [
    `${m}.message_id`,
    `${m}.event_id::text`,
    `${m}.gateway`,
    `${m}.id::text`,
    `(select e.signature || E'\\x1f' || e.payment_policy from events e where e.position = ${m}.id)`,
  ].join(` || E'\\x1f' || `)

const TEXT = '[^"\\\\]+'
const KEY = `"${TEXT}"|null`
const STRING = '"(?:[^"\\\\]|\\\\.)*"'
const INTEGER = '-?[0-9]+'

/** What values look like that are no plain text. */
const LOOKS: Readonly<Record<string, string>> = {
  position: INTEGER,
  trackingId: STRING,
  memo: STRING,
  slot: INTEGER,
  paidAt: INTEGER,
  recipient: KEY,
  payer: KEY,
  tokenMint: KEY,
  amount: INTEGER,
  recordId: INTEGER,
  seq: `${INTEGER}|null`,
}

/** The body is the values that are not known, in the order in which the text names them first. */
const BEGIN =
  '{"id":"<messageId>","type":"payment.executed","timestamp":"<timestamp>","position":<position>,"data":{'
const MIDDLE =
  '"eventId":"<eventId>","signature":"<signature>","slot":<slot>,"timestamp":<paidAt>,"paymentPolicy":"<paymentPolicy>",' +
  '"gateway":"<gateway>","recipient":<recipient>,"payer":<payer>,"tokenMint":<tokenMint>,"amount":<amount>,' +
  '"amountString":"<amount>"'
const END = '"recordId":<recordId>,"seq":<seq>}}'

const FORMS = [
  // Its memo is its tracking ID.
  buildForm(1, `${BEGIN}"trackingId":<trackingId>,${MIDDLE},"memo":<trackingId>,${END}`),
  buildForm(2, `${BEGIN}"trackingId":null,${MIDDLE},"memo":<memo>,${END}`),
]

interface Form {
  number: number
  /** for `format` of Postgres */
  format: string
  /** a group for each value */
  pattern: RegExp
  names: readonly string[]
  fill: (values: readonly string[]) => string
}

function buildForm(number: number, text: string): Form {
  const names = [...KNOWN]
  const grouped = new Set<string>()
  // Every second part is a name.
  const parts = text.split(/<(\w+)>/).map((part, at) => {
    if (at % 2 === 0) return { text: part, format: part, pattern: part.replaceAll(/[{}.]/g, '\\$&') }
    if (!names.includes(part)) names.push(part)
    const value = names.indexOf(part)
    const pattern = grouped.has(part) ? `\\k<${part}>` : `(?<${part}>${LOOKS[part] ?? TEXT})`
    grouped.add(part)
    return { value, format: `%${value + 1}$s`, pattern }
  })
  return {
    number,
    format: parts.map(({ format }) => format).join(''),
    pattern: new RegExp(`^${parts.map(({ pattern }) => pattern).join('')}$`),
    names,
    fill: values => parts.map(part => part.text ?? values[part.value]).join(''),
  }
}

/** A payment of the log, as far as its body is concerned. */
interface PaymentBody {
  id: string
  eventId: string | null
  gateway: string
  position?: string | null
  body: string
}

/**
 * The columns `form` and `body` of a payment's message. If the message is in no known form, `form` is null, and `body` is the body.
 * @param message its event is stored in the same transaction
 */
export function keepBody(message: PaymentBody): { form: number | null; body: string } {
  const { id, eventId, gateway, position, body } = message
  for (const { number, pattern, names, fill } of FORMS) {
    const groups = pattern.exec(body)?.groups
    if (groups === undefined) continue
    const known = [id, eventId!, gateway, position!, groups.signature!, groups.paymentPolicy!]
    const kept = names
      .slice(KNOWN.length)
      .map(name => groups[name])
      .join(SEPARATOR)
    if (fill([...known, ...kept.split(SEPARATOR)]) === body) return { form: number, body: kept }
  }
  return { form: null, body }
}

/**
 * SQL for the body of a row of `messages`. Statements that can meet a payment must use it instead of the column.
 *
 * A body with a gap must not be sent. So Postgres refuses the whole statement if the event is missing, or if only a later release knows
 * the form.
 * @param m the alias of the row
 */
export const bodyText = (m: string): string =>
  `case when ${m}.form is null then ${m}.body else format(
     case ${m}.form ${FORMS.map(({ number, format }) => `when ${number} then '${format}'`).join(' ')} else '%' end,
     variadic string_to_array(${knownOf(m)} || E'\\x1f' || ${m}.body, E'\\x1f')) end`

/** `bodyText` in a statement of the store. */
export const bodyOf = (m: string): Sql => raw(bodyText(m))
