// How far the indexer and the consumers of the stream are, as NATS knows it.
import type { ConsumerState } from '@payment-tracking/bus'
import type { FastifyInstance } from 'fastify'
import { judged } from '../html/figure.js'
import { sayAge, secondsSince } from '../html/say-age.js'
import { html, type Html } from '../html/html.js'
import { sayMoment } from '../html/moment.js'
import { lagChart } from '../lag/lag-chart.js'
import { THRESHOLDS } from '../thresholds.js'
import { sendLive, type PageParts } from './page-parts.js'

/** What the page reads of the indexer's checkpoint. */
interface Checkpoint {
  programId: string
  through: number
  finalizedSlot: number
  fromTheBeginning: boolean
  open: { transactions: unknown[]; holes: { missing: unknown[] }[] }
}

/** The question that the nodes have answered without use for some seconds. */
interface Waiting {
  what: string
  reason: string
  since: string
}

/** The holder renews its lease every 3 seconds, and another indexer may take the lease after 12. */
const LEASE_LASTS_S = 12

export function addPipelinePage(app: FastifyInstance, parts: PageParts): void {
  const { bus, streamName, indexerBucket } = parts
  app.get('/pipeline', async (request, reply) => {
    const [checkpoint, lease, waiting, consumers] = await Promise.all([
      bus.peekKey(indexerBucket, 'checkpoint'),
      bus.peekKey(indexerBucket, 'lease'),
      bus.peekKey(indexerBucket, 'waiting'),
      bus.listConsumers(streamName),
    ])
    const body = html`<h2>Indexer</h2>
      ${
        checkpoint === undefined || checkpoint.value === ''
          ? html`<p class="quiet">
              No indexer has written a checkpoint beside the stream ${streamName}. Another publisher may fill
              it.
            </p>`
          : indexerState(JSON.parse(checkpoint.value) as Checkpoint, {
              writtenAt: checkpoint.writtenAt,
              leaseAt: lease === undefined || lease.value === '' ? undefined : lease.writtenAt,
              waiting: waiting?.value ? (JSON.parse(waiting.value) as Waiting | null) : null,
            })
      }
      <h2>Consumers of ${streamName}</h2>
      ${consumerTable(consumers)}
      <h2>Messages that ingest has not read</h2>
      ${lagChart(parts.lag.list())}`
    return sendLive(parts, request, reply, { title: 'Pipeline', body })
  })
}

function indexerState(
  checkpoint: Checkpoint,
  at: { writtenAt: Date; leaseAt: Date | undefined; waiting: Waiting | null },
): Html {
  const { through, finalizedSlot, open } = checkpoint
  const lag = Math.max(0, finalizedSlot - through)
  const leaseAge = at.leaseAt && secondsSince(at.leaseAt)
  const numbers = open.holes.reduce((sum, { missing }) => sum + missing.length, 0)
  const rows: [name: string, value: string | number | Html][] = [
    ['program', checkpoint.programId],
    [
      'works',
      leaseAge !== undefined && leaseAge < LEASE_LASTS_S
        ? `yes, its lease was renewed ${sayAge(leaseAge)} ago`
        : html`<b class="failure">no</b>
            ${leaseAge === undefined ? '' : `(its lease was renewed ${sayAge(leaseAge)} ago)`}`,
    ],
    [
      'checkpoint',
      judged(
        secondsSince(at.writtenAt),
        THRESHOLDS.checkpointAge,
        `slot ${through}, written ${sayAge(secondsSince(at.writtenAt))} ago at ${sayMoment(at.writtenAt)}`,
      ),
    ],
    ['slots behind the finalized chain', judged(lag, THRESHOLDS.lagSlots, String(lag))],
    [
      'waits for',
      at.waiting ? `${at.waiting.what}, since ${at.waiting.since}: ${at.waiting.reason}` : 'nothing',
    ],
    [
      'gaps that may still close',
      html`${open.transactions.length} unread transactions, ${numbers} missing numbers;
        <a href="/dead-letters">all gaps</a>`,
    ],
    [
      'history',
      checkpoint.fromTheBeginning ? "from the program's first transaction" : 'begins at a chosen slot',
    ],
  ]
  return html`<dl>
    ${rows.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`
}

const consumerTable = (consumers: readonly ConsumerState[]): Html =>
  consumers.length === 0
    ? html`<p class="quiet">None: ingest has not connected yet.</p>`
    : html`<div class="scroll">
        <table>
          <tr>
            <th>consumer</th>
            <th>unread</th>
            <th>in work</th>
            <th>delivered again</th>
            <th>acknowledged up to</th>
          </tr>
          ${consumers.map(
            consumer =>
              html`<tr>
                <td>${consumer.name}</td>
                <td>${consumer.unread}</td>
                <td>${consumer.inFlight}</td>
                <td>${consumer.redelivered}</td>
                <td>${consumer.acknowledgedSequence}</td>
              </tr>`,
          )}
        </table>
      </div>`
