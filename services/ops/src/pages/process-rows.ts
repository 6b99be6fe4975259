// The processes, as they report themselves: which of them is frozen, cut off, gone, or does nothing while work waits.
import { SILENT_AFTER_SECONDS, type Delays, type ProcessRow } from '@payment-tracking/store/core'
import { html, plain, type Html } from '../html/html.js'
import { sayAge } from '../html/say-age.js'
import { THRESHOLDS } from '../thresholds.js'
import { table } from './page-parts.js'

/** One of each runs everywhere; of the indexer, its lease says so. */
const SERVICES = ['ingest', 'api', 'realtime', 'webhook-worker', 'ops'] as const

/** What the indexer keeps in NATS; its holder renews the lease every 3 s. */
export interface IndexerReport {
  holder: string
  /** null where none has the lease */
  leaseSeconds: number | null
  checkpointSeconds: number
  behindSlots: number
}

interface Line {
  service: string
  replica: string
  version: string
  seen: string
  worked: string
  lag: string
  /** why it is red; null where it is well */
  fault: string | null
}

/** The chain makes a slot in about 400 ms. */
const SLOT_SECONDS = 0.4

/** How late the work of a service is. */
const lagOf = (service: string, delays: Delays): number | null =>
  service === 'ingest' ? delays.payments : service === 'webhook-worker' ? delays.deliveries : null

function lineOf(row: ProcessRow, delays: Delays): Line {
  const { service, replica, version, silentSeconds, workedSecondsAgo } = row
  const isSilent = silentSeconds > SILENT_AFTER_SECONDS
  const lag = lagOf(service, delays)
  const { most } = service === 'ingest' ? THRESHOLDS.oldestUnread : THRESHOLDS.oldestDue
  const isIdle = lag !== null && lag > most && (workedSecondsAgo ?? Infinity) > most
  return {
    service,
    replica,
    version,
    seen: `${sayAge(silentSeconds)} ago`,
    worked: workedSecondsAgo === null ? 'nothing yet' : `${sayAge(workedSecondsAgo)} ago`,
    lag: lag === null ? '–' : sayAge(lag),
    fault: isSilent ? 'silent: frozen, cut off or gone' : isIdle ? 'does nothing while work waits' : null,
  }
}

const indexerLine = ({ holder, leaseSeconds, checkpointSeconds, behindSlots }: IndexerReport): Line => ({
  service: 'indexer',
  replica: holder,
  version: '–',
  seen: leaseSeconds === null ? '–' : `${sayAge(leaseSeconds)} ago`,
  worked: `${sayAge(checkpointSeconds)} ago`,
  lag: sayAge(behindSlots * SLOT_SECONDS),
  fault:
    (leaseSeconds ?? Infinity) > SILENT_AFTER_SECONDS
      ? 'silent: frozen, cut off or gone'
      : checkpointSeconds > THRESHOLDS.checkpointAge.most
        ? 'the checkpoint does not move'
        : null,
})

const missingLine = (service: string): Line => ({
  service,
  replica: 'none',
  version: '–',
  seen: '–',
  worked: '–',
  lag: '–',
  fault: 'no process reports',
})

/** @param indexer null where none follows the chain, or NATS does not answer */
export function processTable(
  rows: readonly ProcessRow[],
  { delays, indexer }: { delays: Delays; indexer: IndexerReport | null },
): { sentence: Html; table: Html } {
  const lines = [
    ...(indexer ? [indexerLine(indexer)] : []),
    ...SERVICES.flatMap(service => {
      const own = rows.filter(row => row.service === service)
      return own.length === 0 ? [missingLine(service)] : own.map(row => lineOf(row, delays))
    }),
  ]
  const red = lines.filter(({ fault }) => fault !== null)
  const named = red.map(({ service, fault }) => `${service} (${fault})`).join(', ')
  return {
    sentence:
      red.length > 0
        ? html`<p class="failure" role="alert">${red.length} of ${lines.length} need somebody: ${named}.</p>`
        : html`<p class="quiet">
            All ${lines.length} report. One that is silent for ${SILENT_AFTER_SECONDS} s is red.
          </p>`,
    table: table(
      // What is wrong first: a phone shows three columns.
      ['process', 'state', 'lag', 'last did something', 'reported', 'version', 'replica'],
      lines.map(
        ({ service, replica, version, seen, worked, lag, fault }) =>
          html`<tr class="${fault === null ? '' : 'past'}">
            <td>${service}</td>
            <td>${fault ?? 'well'}</td>
            <td>${lag}</td>
            <td>${worked}</td>
            <td>${seen}</td>
            <td>${plain(version)}</td>
            <td>${plain(replica)}</td>
          </tr>`,
      ),
    ),
  }
}
