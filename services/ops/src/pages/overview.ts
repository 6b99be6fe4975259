import { INGEST_CONSUMER } from '@payment-tracking/contracts'
import {
  countDeadLetters,
  countDeliveries,
  countGaps,
  listFailingWebhooks,
} from '@payment-tracking/store/admin'
import {
  countOpenStreamGaps,
  countQuarantined,
  listProcesses,
  readControlSubjects,
  readDelays,
  readOldestUndeliveredSeconds,
} from '@payment-tracking/store/core'
import { readPaymentDelays } from '@payment-tracking/store/reads'
import type { FastifyInstance } from 'fastify'
import { figureCard, type Threshold } from '../html/figure.js'
import { html, type Html } from '../html/html.js'
import { secondsSince } from '../html/say-age.js'
import { lagChart } from '../lag/lag-chart.js'
import { THRESHOLDS } from '../thresholds.js'
import { sendLive, table, type PageParts } from './page-parts.js'
import { processTable, type IndexerReport } from './process-rows.js'

/** What was late before is no trouble of now. */
const JUDGED_MS = 600_000
/** A server that takes longer counts as away. */
const PATIENCE_MS = 1_500

export function addOverview(app: FastifyInstance, parts: PageParts): void {
  app.get('/', async (request, reply) => {
    const [figures, servers] = await Promise.all([readFigures(parts), readServers(parts)])
    const delays = { ...figures.delays, payments: servers.unreadSeconds ?? figures.delays.payments }
    const processes = processTable(figures.processes, { delays, indexer: servers.indexer })
    const body = html`${figures.takesControls === false ? NO_CONTROLS : ''}
      ${servers.redis ? '' : away('Redis', 'Deliveries wait, and sockets are told late.')}
      ${servers.nats ? '' : away('NATS', 'No payment arrives, and what waits there is not known.')}
      ${processes.sentence}
      <div class="cards">${cardsOf({ ...figures, delays })}</div>
      <h2>Processes</h2>
      ${processes.table}
      <h2>Messages that ingest has not read</h2>
      ${lagChart(parts.lag.list())}
      <h2>Dead letters by code</h2>
      ${table(
        ['code', 'open', 'all'],
        figures.letters.map(
          row =>
            html`<tr>
              <td><a href="/dead-letters?code=${encodeURIComponent(row.code)}">${row.code}</a></td>
              <td>${row.open}</td>
              <td>${row.total}</td>
            </tr>`,
        ),
      )}`
    return sendLive(parts, request, reply, { title: 'Overview', body })
  })
}

const NO_CONTROLS = html`<p>
  <b>The stream takes no control messages:</b> its subjects have no room for them, so nothing becomes final
  and nothing is retracted. Add the subject that <code>stream.takes-no-control-messages</code> in the log of
  ingest names.
</p>`

const away = (server: string, meaning: string): Html =>
  html`<p class="failure" role="alert"><b>${server} does not answer.</b> ${meaning}</p>`

type Figures = Awaited<ReturnType<typeof readFigures>>

function cardsOf({
  deliveries,
  failing,
  letters,
  oldestS,
  gaps,
  chainGaps,
  delays,
  taken,
  quarantined,
}: Figures) {
  const failed = deliveries.find(({ state }) => state === 'failed')
  const card = (name: string, value: number | null, href: string, threshold: Threshold) =>
    figureCard({ name, value, href, threshold })
  const sum = (counts: readonly bigint[]) => Number(counts.reduce((total, count) => total + count, 0n))
  return [
    card('Oldest unread message', delays.payments, '/pipeline', THRESHOLDS.oldestUnread),
    card(
      'Chain to announced: 95 % of the last 10 min, and what waits',
      longest(taken.toAnnounced.p95 === null ? null : taken.toAnnounced.p95 / 1_000, delays.payments),
      '/pipeline',
      THRESHOLDS.announced,
    ),
    card('Oldest due delivery', delays.deliveries, '/queues', THRESHOLDS.oldestDue),
    card('Oldest undelivered', oldestS, '/queues', THRESHOLDS.oldestUndelivered),
    figureCard({
      name: 'Endpoints that fail',
      value: failing.length,
      href: '/failing-endpoints',
      threshold: null,
    }),
    figureCard({
      name: 'Failed deliveries',
      value: failed?.count ?? 0,
      orMore: failed?.isComplete === false,
      href: '/failed-deliveries',
      threshold: null,
    }),
    card('Open dead letters', sum(letters.map(row => row.open)), '/dead-letters', THRESHOLDS.deadLetters),
    card('Open gaps of the chain', chainGaps.open, '/dead-letters', THRESHOLDS.chainGaps),
    card('Open stream gaps', Number(gaps), '/stream-gaps', THRESHOLDS.streamGaps),
    card('Rows quarantined', sum(quarantined.map(row => row.count)), '/work', THRESHOLDS.quarantined),
  ]
}

const longest = (...seconds: (number | null)[]): number | null => {
  const known = seconds.filter(value => value !== null)
  return known.length === 0 ? null : Math.max(...known)
}

/** Waits for all values of an object. */
async function allOf<T extends Record<string, unknown>>(
  asked: T,
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  const answers = Object.entries(asked).map(async ([name, answer]) => [name, await answer] as const)
  return Object.fromEntries(await Promise.all(answers)) as { [K in keyof T]: Awaited<T[K]> }
}

const readFigures = ({ store }: PageParts) =>
  allOf({
    deliveries: countDeliveries(store),
    letters: countDeadLetters(store),
    oldestS: readOldestUndeliveredSeconds(store),
    gaps: countOpenStreamGaps(store),
    chainGaps: countGaps(store),
    takesControls: readControlSubjects(store),
    quarantined: countQuarantined(store),
    taken: readPaymentDelays(store, { sinceMs: Date.now() - JUDGED_MS }),
    delays: readDelays(store),
    processes: listProcesses(store),
    failing: listFailingWebhooks(store),
  })

/** What Redis and NATS tell, if they do. */
async function readServers({ bus, queue, streamName, subjectPrefix, indexerBucket }: PageParts) {
  const [redis, nats, lag, checkpoint, lease] = await Promise.all([
    inTime(queue.ping().then(() => true)),
    inTime(bus.ping().then(() => true)),
    inTime(bus.measureLag({ streamName, subjectPrefix, consumerName: INGEST_CONSUMER })),
    inTime(bus.peekKey(indexerBucket, 'checkpoint')),
    inTime(bus.peekKey(indexerBucket, 'lease')),
  ])
  return {
    redis: redis === true,
    nats: nats === true,
    unreadSeconds: lag?.oldestSeconds ?? null,
    indexer: checkpoint?.value ? indexerReport(checkpoint, lease) : null,
  }
}

function indexerReport(
  checkpoint: { value: string; writtenAt: Date },
  lease: { value: string; writtenAt: Date } | undefined,
): IndexerReport {
  const { finalizedSlot, through } = JSON.parse(checkpoint.value) as {
    finalizedSlot: number
    through: number
  }
  return {
    holder: lease?.value ? lease.value : 'none has the lease',
    leaseSeconds: lease?.value ? secondsSince(lease.writtenAt) : null,
    checkpointSeconds: secondsSince(checkpoint.writtenAt),
    behindSlots: Math.max(0, finalizedSlot - through),
  }
}

/** @returns undefined where the server does not answer in time */
async function inTime<T>(answer: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>(resolve => (timer = setTimeout(resolve, PATIENCE_MS, undefined)))
  try {
    return await Promise.race([answer, late])
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}
