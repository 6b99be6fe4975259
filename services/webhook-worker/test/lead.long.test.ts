// One worker leads and does the work that belongs to all; the other stands by, and takes over when the leader is killed.
import { deactivateWebhooks } from '@payment-tracking/store/deliveries'
import { countRows, waitFor, type StartedService } from '@payment-tracking/testkit'
import t from 'tap'
import { openRig } from './support/start-worker.js'

const WEBHOOKS = 20

t.test('the work of all is done by the leader, and by the next one when it is killed', async t => {
  const rig = await openRig(t)
  const workers = await Promise.all([rig.startWorker(), rig.startWorker()])
  const reportedSince = (seconds: number) =>
    countRows(rig.database.pool, 'processes where seen_at > to_timestamp($1)', [seconds])
  await waitFor(async () => (await reportedSince(0)) === 2, { what: 'the reports of both' })
  // Who reported first led alone until its next report.
  const { rows: now } = await rig.database.pool.query<{ now: number }>(
    'select extract(epoch from clock_timestamp())::float8 as now',
  )
  await waitFor(async () => (await reportedSince(now[0]!.now)) === 2, { what: 'further reports of both' })
  /** Rows that a worker has written for webhooks that were turned off. */
  const workedBy = async (worker: StartedService) =>
    (await worker.figure('payment_tracking_webhook_work_rows_total{kind="cancel"}')) || 0
  /** Turns webhooks off whose deliveries nobody sends. @returns once their rows are written */
  const turnOff = async () => {
    for (let count = 0; count < WEBHOOKS; count++) {
      const { id, gateway } = await rig.addWebhook('http://127.0.0.1:9/')
      await rig.pay(gateway, 1, { enqueue: false })
      await deactivateWebhooks(rig.store, [id], 'gone')
    }
    await waitFor(
      async () => (await rig.deliveries()).every(({ state }) => state !== 'pending' && state !== 'waiting'),
      { what: 'the rows of what was cancelled', timeoutMs: 60_000 },
    )
  }
  const before = await Promise.all(workers.map(workedBy))
  await turnOff()
  const after = await Promise.all(workers.map(workedBy))
  const worked = after.map((rows, at) => rows - before[at]!)
  const standsBy = worked.indexOf(0)
  t.ok(standsBy >= 0 && worked[1 - standsBy]! > 0, `one of them did all of it: ${worked.join(' and ')} rows`)

  await workers[1 - standsBy]!.stop('SIGKILL')
  const killedAt = performance.now()
  await turnOff()
  t.comment(`the other one took over within ${((performance.now() - killedAt) / 1_000).toFixed(1)} s`)
  t.ok((await workedBy(workers[standsBy]!)) > 0)
})
