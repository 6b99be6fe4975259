import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openReceiver, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openConnections } from '../src/requests/connections.js'
import { openDeadlines } from '../src/requests/deadlines.js'
import { buildNameResolver } from '../src/requests/name-resolver.js'
import { openNameServer, type QuestionType } from './support/open-name-server.js'
import { sendOne } from './support/send-one.js'

const FOUR = { address: '203.0.113.7', family: 4 } as const
const SIX = { address: '2606:4700::7', family: 6 } as const
type Answers = Record<QuestionType, string[] | null>

t.test('a question for IPv6 without an answer does not spend the time of the endpoint', async t => {
  const server = await openNameServer(t, { A: [FOUR.address], AAAA: null })
  const resolve = buildNameResolver({
    timeoutMs: 300_000,
    servers: [server.address],
    hostsFile: '/nowhere',
  })
  const startedMs = performance.now()
  t.strictSame(await resolve('shop.example'), [FOUR])
  // Half of the exchange is 150 s.
  t.ok(performance.now() - startedMs < 60_000, `${performance.now() - startedMs} ms`)
  t.match(server.asked, ['A shop.example', 'AAAA shop.example'], 'both were asked at once')
})

t.test('the answers of both questions count', async t => {
  const resolveBy = async (answers: Answers) => {
    const server = await openNameServer(t, answers)
    const options = { timeoutMs: 4_000, servers: [server.address], hostsFile: '/nowhere' }
    return buildNameResolver(options)('shop.example')
  }
  t.strictSame(await resolveBy({ A: [FOUR.address], AAAA: [SIX.address] }), [FOUR, SIX])
  t.strictSame(await resolveBy({ A: [FOUR.address], AAAA: [] }), [FOUR])
  t.strictSame(await resolveBy({ A: [], AAAA: [SIX.address] }), [SIX])
  t.strictSame(await resolveBy({ A: null, AAAA: [SIX.address] }), [SIX])
  await t.rejects(resolveBy({ A: [], AAAA: [] }))
})

t.test('a question has half of the exchange, however many name servers are silent', async t => {
  const silent = await Promise.all(
    Array.from({ length: 4 }, () => openNameServer(t, { A: null, AAAA: null })),
  )
  const servers = silent.map(({ address }) => address)
  const startedMs = performance.now()
  await t.rejects(buildNameResolver({ timeoutMs: 4_000, servers, hostsFile: '/nowhere' })('shop.example'))
  const tookMs = performance.now() - startedMs
  // All of them are silent for 12 s.
  t.ok(tookMs >= 1_990 && tookMs < 10_000, `${tookMs} ms`)
})

t.test('a question that was lost is asked again', async t => {
  const answers: Answers = { A: null, AAAA: [] }
  const server = await openNameServer(t, answers)
  const options = { timeoutMs: 20_000, servers: [server.address], hostsFile: '/nowhere' }
  const addresses = buildNameResolver(options)('shop.example')
  await waitFor(() => server.asked.includes('A shop.example'), { what: 'the first question' })
  answers.A = [FOUR.address]
  t.strictSame(await addresses, [FOUR])
})

t.test('a name of the hosts file is reached', async t => {
  const dir = await mkdtemp(join(tmpdir(), 'payment-tracking-test-'))
  t.teardown(() => rm(dir, { recursive: true }))
  const hostsFile = join(dir, 'hosts')
  await writeFile(
    hostsFile,
    '# 10.0.0.1 nobody\n127.0.0.1\tlocalhost Hooks.Shop.example  hooks # ours\r\n::1 hooks.shop.example\nfe80::1%lo0 zone\nnonsense here\n',
  )
  const server = await openNameServer(t, { A: [FOUR.address], AAAA: [] })
  const resolve = buildNameResolver({ timeoutMs: 10_000, servers: [server.address], hostsFile })
  const own = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]
  t.strictSame(await resolve('hooks.shop.example'), own)
  t.strictSame(await resolve('HOOKS.shop.example.'), own)
  t.strictSame(await resolve('hooks'), [own[0]])
  t.strictSame(server.asked, [], 'no name server is asked')
  for (const name of ['nobody', 'zone', 'here', 'shop.example'])
    t.strictSame(await resolve(name), [FOUR], name)

  const receiver = await openReceiver(t)
  const connections = openConnections({ timeoutMs: 10_000 })
  t.teardown(() => connections.close())
  const send = (allowPrivateTargets: boolean, endpointUrl: string) =>
    sendOne(endpointUrl, { allowPrivateTargets, connections, resolve, deadlines: openDeadlines(10_000) })
  t.match(await send(true, `http://hooks:${receiver.port}/`), { outcome: 'accepted' })
  t.match(
    await send(false, 'https://hooks.shop.example/'),
    { outcome: 'refused', error: 'unreachable' },
    'an address of the file is checked like any other',
  )

  await writeFile(hostsFile, '198.51.100.9 hooks\n')
  await waitFor(async () => (await resolve('hooks'))[0]!.address === '198.51.100.9', {
    what: 'the file to be read again',
  })
})
