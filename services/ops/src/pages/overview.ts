import {
  countDeadLetters,
  countDeliveries,
  countOpenStreamGaps,
  countSetAside,
  readControlSubjects,
  readOldestUndeliveredSeconds,
  type CountedDeliveries,
  type Store,
} from '@payment-tracking/store'
import type { FastifyInstance } from 'fastify'
import { html } from '../html/html.js'
import { layout } from '../html/layout.js'
import { lagChart } from '../lag/lag-chart.js'
import type { PageParts } from './page-parts.js'

export function addOverview(app: FastifyInstance, parts: PageParts): void {
  app.get('/', async (request, reply) => {
    const { deliveries, letters, oldestS, gaps, takesControls, setAside } = await readFigures(parts.store)
    const card = (name: string, value: string | number | bigint, href: string) =>
      html`<a class="card" href="${href}"><b>${value}</b>${name}</a>`
    const body = html`${takesControls === false ? NO_CONTROLS : ''}
      <div class="cards">
        ${['pending', 'waiting', 'failed'].map(state =>
          card(
            `${state} deliveries`,
            countOf(deliveries.find(row => row.state === state)),
            state === 'failed' ? '/failed-deliveries' : '/queues',
          ),
        )}
        ${card('oldest undelivered', `${Math.round(oldestS)} s`, '/queues')}
        ${card(
          'open dead letters',
          letters.reduce((sum, row) => sum + row.open, 0n),
          '/dead-letters',
        )}
        ${card('open stream gaps', gaps, '/stream-gaps')}
        ${card(
          'rows set aside',
          setAside.reduce((sum, row) => sum + row.count, 0n),
          '/work',
        )}
      </div>
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
          ${letters.map(
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

/** As many as were counted: `10000 or more`, where there may be others. */
const countOf = (counted: CountedDeliveries | undefined): string =>
  counted === undefined || counted.isComplete ? String(counted?.count ?? 0) : `${counted.count} or more`

async function readFigures(store: Store) {
  const [deliveries, letters, oldestS, gaps, takesControls, setAside] = await Promise.all([
    countDeliveries(store),
    countDeadLetters(store),
    readOldestUndeliveredSeconds(store),
    countOpenStreamGaps(store),
    readControlSubjects(store),
    countSetAside(store),
  ])
  return { deliveries, letters, oldestS, gaps, takesControls, setAside }
}
