import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createConnection } from 'node:net'
import { POSITION_CURSOR } from '@payment-tracking/store/reads'
import { verifyDatabase } from '@payment-tracking/store/ingest'
import { sayTo, waitFor, type TestContext } from '@payment-tracking/testkit'
import t from 'tap'
import { WebSocket } from 'ws'
import { expected, fillFromFixtures } from './fill-from-fixtures.js'
import { openApi } from './open-api.js'

interface Message {
  id: string
  eventName: string
  slot: number
  cursor: string
}

async function openStreams(t: TestContext, settings: Record<string, string> = {}) {
  const api = await openApi(t, { RATE_LIMIT_MAX: '100000', 'api.checkEveryMs': '100', ...settings })
  await api.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = api.app.server.address() as { port: number }
  const open = (query = '', headers: Record<string, string> = {}) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/events/stream${query}`, { headers })
    const messages: Message[] = []
    const heads: { type: string; head: string; cursor: string }[] = []
    const types: (string | undefined)[] = []
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString('utf8'))
      if (message.type === 'head') heads.push(message)
      else messages.push(message)
      types.push(message.type)
    })
    socket.on('error', () => {})
    t.teardown(() => socket.terminate())
    return { socket, messages, heads, types, ids: () => messages.map(({ id }) => id) }
  }
  /** The answer to an upgrade that did not become a socket. */
  const refusalOf = async (query: string, headers: Record<string, string> = {}) => {
    const { socket } = open(query, headers)
    const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
    let text = ''
    for await (const chunk of answer.setEncoding('utf8')) text += chunk as string
    return { status: answer.statusCode, body: JSON.parse(text) }
  }
  return { ...api, port, open, refusalOf }
}

const allIds = async (pool: { query(sql: string): Promise<{ rows: { id: string }[] }> }) =>
  (await pool.query('select id from events order by position')).rows.map(({ id }) => id)

t.test('a cursor brings the events stored since, then new events, each once', async t => {
  const { open, store, database } = await openStreams(t)
  const begun = open()
  await once(begun.socket, 'open')
  const filling = fillFromFixtures(store, 7)
  await waitFor(() => begun.messages.length > 20)
  // Joins in the middle of the events while ingest writes.
  const joined = open(`?since=${begun.messages[4]!.cursor}`)
  await filling
  const ids = await allIds(database.pool)
  await waitFor(
    () => begun.messages.length === expected.stored && joined.messages.length === expected.stored - 5,
  )
  t.same(begun.ids(), ids, 'live, in commit order')
  t.same(joined.ids(), ids.slice(5), 'from the cursor on, no gap and no double at the join')
  const last = open(`?since=${begun.messages.at(-1)!.cursor}`)
  await once(last.socket, 'open')
  t.same(last.messages, [])
})

t.test('since=0 begins at the first event, and the first message names the head', async t => {
  const { open, store, database, refusalOf } = await openStreams(t)
  const empty = open('?since=0')
  await waitFor(() => empty.heads.length === 1)
  t.equal(empty.heads[0]!.head, empty.heads[0]!.cursor, 'nothing is stored yet')
  await fillFromFixtures(store, 300)
  const ids = await allIds(database.pool)
  await waitFor(() => empty.messages.length === ids.length)
  const all = open('?since=0')
  await waitFor(() => all.messages.length === ids.length)
  t.same(all.ids(), ids)
  t.same([...new Set(all.types)], ['head', undefined])
  t.equal(all.types.indexOf(undefined), 1, 'the head comes first, and once')
  t.equal(all.heads[0]!.head, all.messages.at(-1)!.cursor, 'the cursor of the last event')
  const now = open()
  await waitFor(() => now.heads.length === 1)
  t.equal(now.heads[0]!.cursor, all.heads[0]!.head)
  const again = open(`?since=${all.heads[0]!.cursor}`)
  await waitFor(() => again.messages.length === ids.length, { what: 'a stream from where the other began' })
  const badSince = await refusalOf('?since=1')
  t.match(badSince, { status: 400, body: { code: 'INVALID_PARAMETER', error: /0 for the first/ } })
})

t.test('filters apply to stored and to new events', async t => {
  const { open, store, database } = await openStreams(t)
  const start = open()
  await once(start.socket, 'open')
  await fillFromFixtures(store, 300)
  await waitFor(() => start.messages.length === expected.stored)
  const since = start.messages[0]!.cursor
  const { gateway } = expected.stats[0]!
  for (const [query, condition] of [
    ['eventName=tributary_PaymentRecord', "name = 'PaymentRecord'"],
    [`gateway=${gateway}&eventName=PaymentRecord`, `gateway = '${gateway}' and name = 'PaymentRecord'`],
    [
      'startTime=2026-06-01&endTime=2026-09-01T00:00:00Z',
      "occurred_at between '2026-06-01Z' and '2026-09-01Z'",
    ],
    ['minSlot=400000000&maxSlot=420000000', 'slot between 400000000 and 420000000'],
    ['trackingId=sub-alpha-0-1', "tracking_id = 'sub-alpha-0-1'"],
  ] as const) {
    const { rows } = await database.pool.query(
      `select id from events where position > 1 and ${condition} order by position`,
    )
    const stored = open(`?since=${since}&${query}`)
    await waitFor(() => stored.messages.length >= rows.length, { what: query })
    const wanted = rows.map(row => row.id as string)
    t.same(stored.ids(), wanted, query)
  }
  const live = open('?eventName=PaymentRecord')
  await once(live.socket, 'open')
  await database.pool.query(`
    with head as (update stream_head set position = position + 2 returning position)
    insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint, stream_sequence)
    select gen_random_uuid(), position - 1, 1, 's', 0, 'Other', '{}'::json, 'confirmed', now(), gen_random_uuid(), 1 from head
    union all
    select '00000000-0000-4000-8000-000000000001', position, 1, 's', 1, 'PaymentRecord', '{"a":18446744073709551615}', 'confirmed', now(), gen_random_uuid(), 1 from head`)
  await waitFor(() => live.messages.length === 1)
  t.equal(live.messages[0]!.id, '00000000-0000-4000-8000-000000000001')
})

t.test('a request that is no stream is refused in the common shape, before the upgrade', async t => {
  const { get, refusalOf, port, open } = await openStreams(t, { 'api.streamsPerAddress': '1' })
  t.match(await get('/v1/events/stream'), { status: 426, body: { success: false, code: 'UPGRADE_REQUIRED' } })
  for (const [query, parameter] of [
    ['?since=no!', 'since'],
    ['?since=bm8', 'since'],
    ['?limit=1', 'limit'],
    ['?slot=x', 'slot'],
    [`?since=${Buffer.from('c 00000000-0000-4000-8000-000000000000 5').toString('base64url')}`, 'since'],
  ] as const) {
    const { status, body } = await refusalOf(query)
    t.equal(status, 400, query)
    t.match(body, { success: false, code: 'INVALID_PARAMETER', error: new RegExp(parameter) }, query)
  }
  const first = open()
  await once(first.socket, 'open')
  t.match(await refusalOf(''), { status: 429, body: { code: 'TOO_MANY_CONNECTIONS' } })
  first.socket.close()
  await waitFor(async () => {
    const again = open()
    return await Promise.race([
      once(again.socket, 'open').then(() => true),
      once(again.socket, 'unexpected-response').then(() => false),
    ])
  })
  const upgrade = (path: string, protocol: string, more = '') =>
    `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: ${protocol}\r\n${more}\r\n`
  t.match(
    await sayTo(port, upgrade('/v1/health', 'h2c')),
    /^HTTP\/1.1 200 [^]*"status":"ok"/,
    'upgrade ignored',
  )
  t.match(await sayTo(port, upgrade('/v1/events', 'websocket')), /^HTTP\/1.1 200 /)
  t.match(await sayTo(port, upgrade('/nowhere', 'websocket')), /^HTTP\/1.1 404 [^]*NOT_FOUND/)
  t.match(await sayTo(port, upgrade('/v1/events/stream', 'h2c')), /^HTTP\/1.1 426 [^]*UPGRADE_REQUIRED/)
  t.match(await sayTo(port, upgrade('/v1/events/stream', 'websocket')), /^HTTP\/1.1 400 [^]*INVALID_REQUEST/)
})

t.test('a reader that takes nothing is closed with its code, and buffers no more than a bound', async t => {
  const { database, port, open, logs } = await openStreams(t, { 'api.streamStallMs': '2000' })
  // 60 MB of events: far more than sockets and kernel can buffer.
  await database.pool.query(`
    insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint, stream_sequence)
    select gen_random_uuid(), n, 1, 's', n, 'Big', json_build_object('x', repeat('y', 30000)), 'confirmed', now(), gen_random_uuid(), n
      from generate_series(1, 2000) n;
    update stream_head set position = 2000`)
  const { rows } = await database.pool.query<{ epoch: string }>('select epoch from stream_head')
  const since = Buffer.from(`c ${rows[0]!.epoch} 0`).toString('base64url')
  const before = process.memoryUsage().rss
  const raw = createConnection(port, '127.0.0.1')
  raw.write(
    `GET /v1/events/stream?since=${since} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
      `sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  )
  let received = 0
  let tail = Buffer.alloc(0)
  raw.on('error', () => {})
  raw.once('data', () => raw.pause())
  const slow = new Promise<void>(resolve => raw.once('close', () => resolve()))
  // The client continues to read only now: it gets the buffered events, then the reason.
  await waitFor(() => logs.some(line => line.includes('stream.closed')))
  raw.on('data', (chunk: Buffer) => {
    received += chunk.length
    tail = Buffer.concat([tail, chunk]).subarray(-200)
  })
  raw.resume()
  await slow
  t.ok(received < 20 * 1024 * 1024, 'it was not sent everything')
  t.match(tail.toString('latin1'), /TOO_SLOW/)
  // It takes 60 MB in the process that sends them: it would be slow beside the other.
  const eager = open(`?since=${since}`)
  await waitFor(() => eager.messages.length === 2000, { what: 'all for the eager one', timeoutMs: 60_000 })
  t.ok(process.memoryUsage().rss - before < 400 * 1024 * 1024)
})

t.test('a stream ends with a reason when the instance stops', async t => {
  const { app, open } = await openStreams(t)
  const { socket } = open()
  await once(socket, 'open')
  const closed = once(socket, 'close') as Promise<[number, Buffer]>
  await app.close()
  const [code, reason] = await closed
  t.equal(code, 1001)
  t.match(reason.toString(), /^STOPPING/)
})

t.test('a stream ends with a reason when the database was replaced', async t => {
  const { get, open, refusalOf, database } = await openStreams(t)
  const { rows } = await database.pool.query<{ epoch: string }>('select epoch from stream_head')
  const cursor = Buffer.from(`c ${rows[0]!.epoch} 0`).toString('base64url')
  const { socket } = open(`?since=${cursor}`)
  await once(socket, 'open')
  const closed = once(socket, 'close') as Promise<[number, Buffer]>
  await database.pool.query('update stream_head set epoch = gen_random_uuid()')
  const [code, reason] = await closed
  t.equal(code, 4009)
  t.match(reason.toString(), /^OTHER_EPOCH/)
  const refusal = { status: 400, body: { error: /another database/ } }
  t.match(await refusalOf(`?since=${cursor}`), refusal)
  t.match(await get(`/v1/events/stream?since=${cursor}`), refusal, 'a plain request tells a browser why')
})

t.test('a cursor died whole when commits were lost, although what came before is shared', async t => {
  const { open, refusalOf, store, database } = await openStreams(t)
  const verify = () => verifyDatabase(store, { readRecord: () => Promise.resolve(null), reingestMargin: 0 })
  await verify()
  await fillFromFixtures(store, 300)
  const ids = await allIds(database.pool)
  const before = open('?since=0')
  await waitFor(() => before.messages.length === ids.length)
  const last = POSITION_CURSOR.read(before.messages.at(-1)!.cursor)!
  await database.pool.query(`update stream_head set verified_timeline = 'of the server before'`)
  const closed = once(before.socket, 'close')
  const { epoch } = await verify()
  await closed
  const back = open(`?since=${before.messages[4]!.cursor}`)
  await waitFor(() => back.messages.length === ids.length - 5)
  t.same(back.ids(), ids.slice(5))
  t.equal(POSITION_CURSOR.read(back.messages[0]!.cursor)!.epoch, epoch)
  const lost = POSITION_CURSOR.write({ ...last, position: last.position + 1n })
  t.match(await refusalOf(`?since=${lost}`), { status: 400, body: { error: /the database lost/ } })
})

t.test('a socket that answers no ping is cut', async t => {
  const { open } = await openStreams(t, { 'api.streamPingEveryMs': '100' })
  const good = open()
  const dead = open()
  await Promise.all([once(good.socket, 'open'), once(dead.socket, 'open')])
  dead.socket.pong = () => {}
  await once(dead.socket, 'close')
  t.equal(good.socket.readyState, WebSocket.OPEN)
})
