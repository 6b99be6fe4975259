// The typed client asks for answers that know what this process was told, by itself.
import { createApiClient, watchEvents } from '@payment-tracking/client'
import { buildJwtKeys } from '@payment-tracking/stack'
import { createDatabase, startService, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { WebSocket } from 'ws'

t.test('a client that was told of an event gets no answer that lacks it', async t => {
  // Node 20 has no WebSocket of its own.
  Object.assign(globalThis, { WebSocket })
  const { url, pool } = await createDatabase(t)
  const api = await startService(
    t,
    'api',
    {
      DATABASE_URL: url,
      REDIS_URL: 'redis://127.0.0.1:1',
      JWT_PRIVATE_KEYS: buildJwtKeys(),
      PORT: '0',
    },
    { waitUntilReady: false },
  )
  const baseUrl = String((await api.waitForLog('http.listening')).address)
  const client = createApiClient(baseUrl)
  const read = async () => {
    const { response, error } = await client.GET('/v1/events')
    return { status: response.status, code: error?.code, position: response.headers.get('x-position') }
  }
  t.match(await read(), { status: 200, position: '0' })
  const received: unknown[] = []
  const watch = watchEvents(baseUrl, { since: '0', onEvent: ({ position }) => received.push(position) })
  t.teardown(() => watch.close())
  await pool.query(`
    with head as (update stream_head set position = 6 returning position)
    insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint, stream_sequence)
    select gen_random_uuid(), position, 1, 's', 0, 'Other', '{}', 'confirmed', now(), gen_random_uuid(), 1 from head`)
  await waitFor(() => received.length === 1, { what: 'the event' })
  t.same(received, [6])

  // A head that was read up to 20 ms before is still used: until then the answers are those of `before`.
  const readsAtLast = (wanted: Partial<Awaited<ReturnType<typeof read>>>, before: number) =>
    waitFor(
      async () => {
        const answer = await read()
        if (Object.entries({ ...answer, ...wanted }).every(([key, value]) => answer[key as 'code'] === value))
          return true
        t.equal(answer.status, before)
        return false
      },
      { what: JSON.stringify(wanted) },
    )
  // A database that knows less, as a replica would be.
  await pool.query('update stream_head set position = 5')
  await readsAtLast({ status: 503, code: 'NOT_YET' }, 200)
  await pool.query('update stream_head set position = 7')
  await readsAtLast({ status: 200, position: '7' }, 503)
  // A database that lost commits: what was told of the other one has no meaning any more, and no read fails.
  await pool.query('update stream_head set position = 2, epoch = gen_random_uuid()')
  await readsAtLast({ status: 200, position: '2' }, 200)
})
