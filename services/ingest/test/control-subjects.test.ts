import { startService, useEnvironment, waitFor } from '@payment-tracking/testkit'
import t from 'tap'

t.test('a stream whose subjects leave no room for control messages is reported, with the cure', async t => {
  const { database, nats, settings } = await useEnvironment(t)
  const manager = await nats.connection.jetstreamManager()
  await nats.addStream({ subjects: [`${nats.subjectPrefix}.*`] })
  const ingest = await startService(t, 'ingest', settings)
  const line = await ingest.waitForLog('stream.takes-no-control-messages')
  t.match(line, {
    level: 'warn',
    missing: `${nats.subjectPrefix}.control.>`,
    cure: `nats stream edit ${nats.stream} --subjects "${nats.subjectPrefix}.>"`,
  })
  const metric = () => ingest.figure('payment_tracking_ingest_stream_takes_controls')
  const noted = async () =>
    (await database.pool.query<{ takes: boolean }>('select takes_controls as takes from stream_head'))
      .rows[0]!.takes
  t.equal(await metric(), 0)
  t.equal(await noted(), false, 'for the dashboard')

  await manager.streams.update(nats.stream, { subjects: [`${nats.subjectPrefix}.>`] })
  await waitFor(async () => (await metric()) === 1, { what: 'the cure to be seen', timeoutMs: 20_000 })
  t.equal(await noted(), true)
})
