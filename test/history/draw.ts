// Draws a part of a history: time runs down, and everybody has a column of their own.
import type { ClientEntry, Entry, SentPayment } from './entries.js'
import type { Violation } from './rules/violation.js'

const COLUMN = 34
const TIME = 11
/** What more than so many have done does not fit side by side: each is named in its line instead. */
const MOST_COLUMNS = 4

/** @returns the violation, with a drawing of the entries that show it */
export function drawViolation({ promise, subject, entries }: Violation): string {
  return [`VIOLATION of "${promise}": ${subject}`, '', ...drawEntries(entries), ''].join('\n')
}

/** @returns the lines of a drawing */
export function drawEntries(entries: readonly Entry[]): string[] {
  const names = [...new Set(entries.flatMap(entry => ('who' in entry ? [entry.who] : [])))]
  const isNarrow = names.length <= MOST_COLUMNS
  const columns = isNarrow ? names : ['everybody']
  const row = (time: string, cells: readonly string[]) =>
    `  ${time.padStart(TIME)}  ${cells.map(cell => cell.padEnd(COLUMN)).join('  ')}`.trimEnd()
  const lines = [
    row('', columns),
    row(
      '',
      columns.map(name => '─'.repeat(Math.min(COLUMN, name.length + 6))),
    ),
  ]
  for (const entry of entries) {
    const time = `${(entry.at / 1000).toFixed(3)} s`
    if (!('who' in entry)) {
      const width = columns.length * (COLUMN + 2) - 2
      lines.push(row(time, [`══ ${describeAct(entry)} `.padEnd(width, '═')]))
      continue
    }
    const text = describe(entry)
    const at = isNarrow ? columns.indexOf(entry.who) : 0
    const own = wrap(isNarrow ? text : `${entry.who}: ${text}`, isNarrow ? COLUMN : COLUMN * 3)
    own.forEach((line, index) => {
      const cells = columns.map((_, column) => (column === at ? line : isNarrow ? '│' : ''))
      lines.push(row(index === 0 ? time : '', cells))
    })
  }
  return lines
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(lines.length === 0 ? word : `  ${word}`)
  }
  return lines
}

function describeAct(entry: Exclude<Entry, ClientEntry>): string {
  switch (entry.what) {
    case 'begin':
      return `seed ${entry.seed}`
    case 'fault':
      return entry.name
    case 'loss':
      return `the database loses what is behind position ${entry.kept}`
    case 'stall':
      return `the clients' clock stood still for ${entry.forMs} ms`
    case 'rest':
      return 'nothing is broken, nothing is left to do'
  }
}

const short = (id: string | undefined): string => (id === undefined ? '–' : id.slice(0, 8))

const paymentOf = ({ seq, eventId, position, retracted }: SentPayment): string =>
  `seq ${seq} = ${short(eventId)}${position === undefined ? '' : ` at ${position}`}${retracted ? ', retracted' : ''}`

/** At most so many payments of a list are drawn. */
const SHOWN = 6
const listOf = (payments: readonly SentPayment[] = []): string =>
  payments.length <= SHOWN
    ? payments.map(paymentOf).join('; ')
    : `${payments.slice(0, 2).map(paymentOf).join('; ')}; …; ${payments.slice(-2).map(paymentOf).join('; ')}`

/** An arrow to the right is what a client asks, one to the left is what it is told. */
function describe(entry: ClientEntry): string {
  switch (entry.via) {
    case 'queue':
      if (entry.what === 'answer') return '◀ acknowledged'
      return `▶ publishes ${entry.kind === 'event' ? entry.name : 'the retraction of'} ${short(entry.signature)}`
    case 'socket':
      return describeSocket(entry)
    case 'stream':
      if (entry.what === 'ask') return `▶ follows the stream since ${entry.since ?? 'now'}`
      if (entry.what === 'head') return `◀ head ${entry.position}, database ${short(entry.epoch)}`
      return `● position ${entry.position} = ${short(entry.eventId)} ${entry.name} of ${short(entry.signature)}${
        entry.seq === undefined ? '' : `, seq ${entry.seq} of ${entry.trackingId}`
      }`
    case 'webhook':
      if (entry.what === 'registered') return `▶ registers for ${short(entry.gateway)} at ${entry.position}`
      return `● ${entry.type} of ${short(entry.eventId)}${
        entry.seq === undefined ? '' : `, seq ${entry.seq} of ${entry.trackingId}`
      }, id ${short(entry.id.replace(/^\w+_/, ''))}, body ${short(entry.body)}; answers ${entry.status || 'nothing'}`
    case 'rest':
      if (entry.what === 'ask')
        return `▶ reads ${entry.trackingId ?? 'the count'}${
          entry.minPosition === undefined ? '' : ` from position ${entry.minPosition}`
        }`
      return `◀ ${entry.status}, position ${entry.position ?? '–'}, database ${short(entry.epoch)}, count ${
        entry.count ?? '–'
      }${entry.payments?.length ? `: ${listOf(entry.payments)}` : ''}`
  }
}

function describeSocket(entry: Extract<ClientEntry, { via: 'socket' }>): string {
  switch (entry.what) {
    case 'ask':
      return `▶ subscribes to ${entry.trackingId} since ${entry.since}${entry.epoch ? ` of ${short(entry.epoch)}` : ''}`
    case 'answer':
      if (entry.refused !== undefined) return `◀ refused: ${entry.refused}`
      return `◀ head ${entry.head}, database ${short(entry.epoch)}${entry.recovered ? '' : ', begin again'}${
        entry.replay?.length ? `: ${listOf(entry.replay)}` : ''
      }${entry.more ? ', more' : ''}`
    case 'payment':
      return `● ${entry.trackingId}: ${paymentOf(entry)} on ${entry.connection}`
    case 'retraction':
      return `✗ ${entry.trackingId}: seq ${entry.seq} = ${short(entry.eventId)} was retracted`
    case 'lost':
      return `– has no seat for ${entry.trackingId}`
    case 'forget':
      return '– forgets everything'
  }
}
