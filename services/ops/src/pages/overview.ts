import { countDeadLetters, countDeliveries, countGaps } from '@payment-tracking/store/admin'
import {
  countOpenStreamGaps,
  countQuarantined,
  readControlSubjects,
  readOldestUndeliveredSeconds,
  type Store,
} from '@payment-tracking/store/core'
import { readPaymentDelays } from '@payment-tracking/store/reads'
import type { FastifyInstance } from 'fastify'
import { figureCard, type Threshold } from '../html/figure.js'
import { html } from '../html/html.js'
import { layout } from '../html/layout.js'
import { lagChart } from '../lag/lag-chart.js'
import { THRESHOLDS } from '../thresholds.js'
import type { PageParts } from './page-parts.js'

const DAY_MS = 86_400_000

export function addOverview(app: FastifyInstance, parts: PageParts): void {
  app.get('/', async (request, reply) => {
    const figures = await readFigures(parts.store)
    const body = html`${figures.takesControls === false ? NO_CONTROLS : ''}
      <div class="cards">${cardsOf(figures, parts.lag.list().at(-1)?.unread ?? null)}</div>
      <h2>Messages that ingest has not read</h2>
      ${lagChart(parts.lag.list())}
      <h2>Dead letters by code</h2>
      <div class="scroll">
        <table>
          <tr>
            <th>code</th>
            <th>open</th>
            <th>all</th>
          </tr>
          ${figures.letters.map(
            row =>
              html`<tr>
                <td><a href="/dead-letters?code=${encodeURIComponent(row.code)}">${row.code}</a></td>
                <td>${row.open}</td>
                <td>${row.total}</td>
              </tr>`,
          )}
        </table>
      </div>`
    const csrf = parts.sessions.sign(request.opsSession, 'csrf')
    return reply
      .type('text/html')
      .send(layout({ title: 'Overview', environment: parts.environment, csrf }, body))
  })
}

const NO_CONTROLS = html`<p>
  <b>The stream takes no control messages:</b> its subjects have no room for them, so nothing becomes final
  and nothing is retracted. Add the subject that <code>stream.takes-no-control-messages</code> in the log of
  ingest names.
</p>`

type Figures = Awaited<ReturnType<typeof readFigures>>

function cardsOf(
  { deliveries, letters, oldestS, gaps, chainGaps, delays, quarantined }: Figures,
  unread: number | null,
) {
  const seconds = (ms: number | null) => (ms === null ? null : ms / 1_000)
  const open = (state: string, href: string, threshold: Threshold) => {
    const counted = deliveries.find(row => row.state === state)
    const orMore = counted !== undefined && !counted.isComplete
    return figureCard({
      name: `${state[0]!.toUpperCase()}${state.slice(1)} deliveries`,
      value: counted?.count ?? 0,
      orMore,
      href,
      threshold,
    })
  }
  const card = (name: string, value: number | null, href: string, threshold: Threshold) =>
    figureCard({ name, value, href, threshold })
  const sum = (counts: readonly bigint[]) => Number(counts.reduce((total, count) => total + count, 0n))
  return [
    card('Unread messages', unread, '/pipeline', THRESHOLDS.unread),
    card(
      'Chain to announced, half of the newest 200',
      seconds(delays.toAnnounced.p50),
      '/pipeline',
      THRESHOLDS.announced,
    ),
    card(
      'Chain to announced, 95 % of them',
      seconds(delays.toAnnounced.p95),
      '/pipeline',
      THRESHOLDS.announced,
    ),
    open('pending', '/queues', THRESHOLDS.openDeliveries),
    open('waiting', '/queues', THRESHOLDS.openDeliveries),
    open('failed', '/failed-deliveries', THRESHOLDS.failedDeliveries),
    card('Oldest undelivered', Math.round(oldestS), '/queues', THRESHOLDS.oldestUndelivered),
    card('Open dead letters', sum(letters.map(row => row.open)), '/dead-letters', THRESHOLDS.deadLetters),
    card('Open gaps of the chain', chainGaps.open, '/dead-letters', THRESHOLDS.chainGaps),
    card('Open stream gaps', Number(gaps), '/stream-gaps', THRESHOLDS.streamGaps),
    card('Rows quarantined', sum(quarantined.map(row => row.count)), '/work', THRESHOLDS.quarantined),
  ]
}

async function readFigures(store: Store) {
  const [deliveries, letters, oldestS, gaps, chainGaps, takesControls, quarantined, delays] =
    await Promise.all([
      countDeliveries(store),
      countDeadLetters(store),
      readOldestUndeliveredSeconds(store),
      countOpenStreamGaps(store),
      countGaps(store),
      readControlSubjects(store),
      countQuarantined(store),
      readPaymentDelays(store, { sinceMs: Date.now() - DAY_MS }),
    ])
  return { deliveries, letters, oldestS, gaps, chainGaps, takesControls, quarantined, delays }
}
