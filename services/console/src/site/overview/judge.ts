// Whether all is well, in one sentence, with what is not.
import { formatDuration } from '../show/format-time.js'
import type { Tone } from '../show/values.js'

export interface Finding {
  tone: 'bad' | 'wait'
  text: string
  href: string
}

export interface Facts {
  /** the figures can be read */
  answers: boolean
  /** of the stream of payments */
  live: 'open' | 'lost' | 'connecting'
  /** from the chain to sockets: half of the newest payments took longer; milliseconds */
  announcedP50: number | null
  /** null where nobody is signed in, or the sign-in may not see it */
  endpoints:
    | readonly { active: boolean; failingSince: string | null; deactivatedReason: string | null }[]
    | null
  overdue: number | null
}

/** A finalized payment takes some 13 s from the chain; what takes longer than this waits for us. */
const SLOW_MS = 60_000

const count = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`

export function judge({ answers, live, announcedP50, endpoints, overdue }: Facts): {
  tone: Tone
  text: string
  findings: Finding[]
} {
  if (!answers) return { tone: 'bad', text: 'The service does not answer', findings: [] }
  const findings: Finding[] = []
  const failing = endpoints?.filter(({ active, failingSince }) => active && failingSince !== null) ?? []
  const stopped = endpoints?.filter(({ active, deactivatedReason }) => !active && deactivatedReason) ?? []
  if (failing.length > 0)
    findings.push({
      tone: 'bad',
      href: '/endpoints',
      text: count(
        failing.length,
        'endpoint fails: see what it answers',
        'endpoints fail: see what they answer',
      ),
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
      href: '/revenue',
      text: `${count(overdue, 'payment is', 'payments are')} past the due date`,
    })
  if (announcedP50 !== null && announcedP50 > SLOW_MS)
    findings.push({
      tone: 'wait',
      href: '/payments',
      text: `Half of the newest payments took more than ${formatDuration(announcedP50)} from the chain`,
    })
  if (live === 'lost')
    findings.push({
      tone: 'wait',
      href: '/payments',
      text: 'The live connection is away and comes back by itself',
    })
  if (findings.length === 0) return { tone: 'good', text: 'All is well', findings }
  const tone = findings.some(finding => finding.tone === 'bad') ? 'bad' : 'wait'
  return { tone, text: count(findings.length, 'thing needs a look', 'things need a look'), findings }
}
