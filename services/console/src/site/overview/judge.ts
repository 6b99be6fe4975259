// Whether all is well, in one sentence, with what is not. It says nothing that was not read: an empty service is not well, it is
// empty.
import type { Schemas } from '@payment-tracking/client'
import { failureOf } from '../gateway/endpoint-words.js'
import { formatDuration, pastTime } from '../show/format-time.js'
import type { Late } from '../show/late.js'
import type { Tone } from '../show/values.js'

export interface Finding {
  tone: 'bad' | 'wait'
  text: string
  href: string
}

export interface Facts {
  /** the figures can be read */
  answers: boolean
  /** what only the gateway itself sees was asked for and answered, or nobody is signed in */
  isOwnRead: boolean
  /** null while it is not known */
  late: Late | null
  /** of the stream of payments */
  live: 'open' | 'lost' | 'connecting'
  /** of the last 24 hours; null while it is not known */
  paymentsOfDay: number | null
  /** whether a payment was ever seen; null while it is not known */
  hasPayments: boolean | null
  /** an indexer has reported the chain */
  followsChain: boolean
  /** from the chain to sockets: half of the payments of the last hour took longer; milliseconds */
  announcedP50: number | null
  /** null where nobody is signed in, or the sign-in may not see it */
  endpoints:
    | readonly Pick<Schemas['Webhook'], 'id' | 'active' | 'health' | 'lastAnswer' | 'deactivatedReason'>[]
    | null
  /** payments; null where it may not be seen */
  overdue: number | null
  /** payments that are due within two days and will fail */
  atRisk: Counted | null
  /** expected payments of which a part came */
  underpaid: Counted | null
}

/** Of a list that is read only so far. */
export interface Counted {
  count: number
  /** there can be more */
  isAtLeast: boolean
}

export interface Judgement {
  tone: Tone
  text: string
  /** what makes all well */
  detail: string
  findings: Finding[]
}

/** A finalized payment takes some 13 s from the chain; what takes longer than this waits for us. */
const SLOW_MS = 60_000
/** What is at risk within so many days is named: there is time to tell the payer. */
export const RISK_DAYS = 2
/** Of this page: each payment with its cause. */
export const AT_RISK = '#at-risk'

const count = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`

export function judge(facts: Facts): Judgement {
  const { answers, isOwnRead, late: lateness, hasPayments, paymentsOfDay, followsChain } = facts
  if (!answers) return { tone: 'bad', text: 'The service does not answer', detail: '', findings: [] }
  const findings = findingsOf(facts)
  const isBad = findings.some(finding => finding.tone === 'bad')
  const late = lateText(lateness)
  if (late !== null) return { tone: 'bad', text: late, detail: LATE_DETAIL, findings }
  if (findings.length > 0)
    return {
      tone: isBad ? 'bad' : 'wait',
      text: count(findings.length, 'issue needs attention', 'issues need attention'),
      detail: '',
      findings,
    }
  const plain = (text: string): Judgement => ({ tone: 'plain', text, detail: '', findings })
  if (!isOwnRead || lateness === null || hasPayments === null || paymentsOfDay === null)
    return plain('Looking …')
  if (!hasPayments)
    return plain(
      `No payment has arrived yet; ${followsChain ? 'the chain is followed' : 'no chain is followed'}`,
    )
  if (paymentsOfDay === 0) return plain('No payment in the last 24 hours')
  return { tone: 'good', text: 'All is well', detail: detailOf(facts), findings }
}

const LATE_DETAIL = 'Nothing is lost: what waits arrives late. The operators of the service see it too.'

/** What the service says of itself, before anything else. */
function lateText(late: Late | null): string | null {
  if (late === null) return null
  const { paymentsSince, deliveriesSince } = late
  const since = (at: number) => `since ${pastTime(at, Date.now())}`
  if (paymentsSince !== null)
    return `Payments are delayed ${since(paymentsSince)}${deliveriesSince === null ? '' : ', and deliveries are late'}`
  return deliveriesSince === null ? null : `Deliveries are late ${since(deliveriesSince)}`
}

/** `1 endpoint is failing (HTTP 500): see its responses`, which stand on its page; those of several in their list. */
function failingText(failing: NonNullable<Facts['endpoints']>): string {
  const answers = [...new Set(failing.map(failureOf))].filter(answer => answer !== null)
  const why = answers.length === 0 ? '' : ` (${answers.join(', ')})`
  return failing.length === 1
    ? `1 endpoint is failing${why}: see its responses`
    : `${failing.length} endpoints are failing${why}: see their responses`
}

const counted = ({ count: number, isAtLeast }: Counted, one: string, many: string): string =>
  `${isAtLeast ? 'at least ' : ''}${count(number, one, many)}`

function findingsOf(facts: Facts): Finding[] {
  const { late, live, announcedP50, endpoints, overdue, atRisk, underpaid } = facts
  const findings: Finding[] = []
  const failing = endpoints?.filter(({ health }) => health === 'failing') ?? []
  const stopped = endpoints?.filter(({ active, deactivatedReason }) => !active && deactivatedReason) ?? []
  if (failing.length > 0)
    findings.push({
      tone: 'bad',
      href: failing.length === 1 ? `/endpoints/${String(failing[0]!.id)}` : '/endpoints',
      text: failingText(failing),
    })
  if (stopped.length > 0)
    findings.push({
      tone: 'bad',
      href: '/endpoints',
      text: `${count(stopped.length, 'endpoint was', 'endpoints were')} deactivated by the service`,
    })
  if (overdue !== null && overdue > 0)
    findings.push({
      tone: 'wait',
      href: '/customers?show=overdue',
      text: count(overdue, 'payment is overdue', 'payments are overdue'),
    })
  if (atRisk !== null && atRisk.count > 0)
    findings.push({
      tone: 'wait',
      href: AT_RISK,
      text: `${counted(atRisk, 'payment', 'payments')} due within ${RISK_DAYS} days will fail as things stand`,
    })
  if (underpaid !== null && underpaid.count > 0)
    findings.push({
      tone: 'wait',
      href: '/expected?state=underpaid',
      text: counted(underpaid, 'expected payment is underpaid', 'expected payments are underpaid'),
    })
  if (announcedP50 !== null && announcedP50 > SLOW_MS)
    findings.push({
      tone: 'wait',
      href: '/payments',
      text: `Half of the payments of the last hour took more than ${formatDuration(announcedP50)} from the chain`,
    })
  if (late?.isKnown === false)
    findings.push({
      tone: 'wait',
      href: '/payments',
      text: 'Whether payments are delayed is not known at the moment',
    })
  if (live === 'lost')
    findings.push({
      tone: 'wait',
      href: '/payments',
      text: 'The live connection is lost; it reconnects by itself',
    })
  return findings
}

/** Only what was read. */
function detailOf({ endpoints, overdue, atRisk }: Facts): string {
  const parts = ['Payments arrive']
  if (endpoints !== null)
    parts.push(endpoints.length === 0 ? 'no endpoint is registered' : 'no endpoint fails')
  if (overdue !== null) parts.push('nothing is overdue')
  if (atRisk !== null) parts.push(`nothing due within ${RISK_DAYS} days is known to be at risk`)
  return `${parts.join(', ')}.`
}
