// Every route, socket and page, with every kind of caller, against running services with two gateways.
// One table drives all of them over one set of services, so it is one file of more than 300 lines.
import { once } from 'node:events'
import { type SubscribeReply } from '@payment-tracking/contracts'
import { waitFor } from '@payment-tracking/testkit'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { WebSocket } from 'ws'
import { makeCheckoutKey } from '../../services/api/test/checkout/make-checkout-keys.js'
import { openApi } from '../../services/api/test/open-api.js'
import { openOps } from '../../services/ops/test/open-ops.js'
import { connectTo } from '../../services/realtime/test/use-pods.js'
import { readOperations, scopesOf, type Operation, type Scope } from './description.js'
import { openSystem, SCOPES, type CallAnswer, type Party } from './open-system.js'
import { pauseInEach } from './paused-api.js'
import { REQUESTS, type Target } from './requests.js'
import { withTables } from './table.js'
import { holdDocument, read } from '../repository.js'

// Some thousand requests, which take minutes on a busy machine.
t.setTimeout(300_000)

const operations = readOperations()
const system = await openSystem(t)
const { call, owner, other, voidCredentials, voidCookies } = system

const targetOf = (party: Party): Target => ({ ...party, keyId: party.key.id })
const isScope = (access: string): access is Scope => (SCOPES as readonly string[]).includes(access)

/** Reads Fastify's tree of routes: each line adds to the path of the line that it is indented under. */
function listRoutes(app: Pick<FastifyInstance, 'printRoutes'>): { method: string; path: string }[] {
  const parts: string[] = []
  const lines = app.printRoutes({ commonPrefix: false }).split('\n')
  return lines.flatMap(line => {
    const [, indent, part, methods] = /^([ │]*[├└]── )(.*) \(([A-Z, ]+)\)$/.exec(line) ?? []
    if (indent === undefined) return []
    parts.splice(indent.length / 4 - 1, Infinity, part!)
    // With an example for each parameter.
    const path = parts.join('').replaceAll(/:\w+/g, '1').replace('*', 'static/app.js')
    return methods!.split(', ').map(method => ({ method, path }))
  })
}

/** Of the dashboard for operators: signing in, and the style sheet of its page. */
const OPEN = new Set(['GET /sign-in', 'POST /sign-in', 'GET /style.css', 'HEAD /sign-in', 'HEAD /style.css'])
const opsRoutes = listRoutes((await openOps(t)).app)

const requestOf = (operation: Operation, target: Target) => REQUESTS[operation.id]!(target)
/** @param credential a token or API key; or a cookie, which counts from a page of the service alone */
const send = (operation: Operation, target: Target, credential?: string) => {
  const { path, body } = requestOf(operation, target)
  const headers = { origin: system.urls.api }
  if (credential?.startsWith('session-'))
    return call(operation.method, path, { body, headers: { ...headers, cookie: credential } })
  return call(operation.method, path, { body, token: credential, headers })
}
const ofAccess = (holds: (access: string) => boolean) => operations.filter(({ access }) => holds(access))
const guarded = ofAccess(access => access === 'wallet' || access.split(' or ').some(isScope))

/** What an answer says, without what differs from request to request. */
const contentOf = ({ status, body, text }: CallAnswer) => {
  if (body === undefined || Array.isArray(body)) return { status, content: body ?? text }
  const { timestamp: _timestamp, requestId: _requestId, asOf: _asOf, ...content } = body
  return { status, content }
}
const secretsIn = ({ text, headers }: CallAnswer, party: Party) =>
  party.secrets.filter(secret => text.includes(secret) || [...headers.values()].join().includes(secret))

const secretsOfBoth = (text: string) =>
  [...owner.secrets, ...other.secrets].filter(secret => text.includes(secret))

t.test('docs/security.md shows the tables', async t => {
  holdDocument(t, 'docs/security.md', withTables(read('docs/security.md'), operations))
})

t.test('every described route has a row, and every row a route', async t => {
  t.same(Object.keys(REQUESTS).sort(), operations.map(({ id }) => id).sort())
})

t.test('the API has no route beside those described, but for pages', async t => {
  const { app } = await openApi(t, { CHECKOUT_TOKEN_KEYS: JSON.stringify({ keys: [makeCheckoutKey()] }) })
  const described = new Set(
    operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '1')}`),
  )
  const isPage = (route: string) =>
    /^GET (\/|\/(openapi|asyncapi)\.(json|yaml)|\/llms\.txt|\/docs(\/.*)?)$/.test(route)
  const routes = listRoutes(app)
    .map(({ method, path }) => `${method} ${path}`)
    .filter(route => !/^(HEAD|OPTIONS) /.test(route) && !isPage(route))
  t.same(routes.sort(), [...described].sort())
})

t.test('open routes answer everybody alike, and tell nobody a secret', async t => {
  for (const operation of ofAccess(access => access === 'open')) {
    const expected = requestOf(operation, targetOf(owner)).status ?? operation.success
    const alone = await send(operation, targetOf(owner))
    t.equal(alone.status, expected, `${operation.id}: ${alone.text}`)
    // A challenge is a fresh nonce, and a proof a fresh signature.
    const isFresh = ['challengeGateway', 'issueToken'].includes(operation.id)
    for (const token of [owner.token, other.key.key, ...Object.values(voidCredentials)]) {
      const answer = await send(operation, targetOf(owner), token)
      if (isFresh) t.equal(answer.status, expected, operation.id)
      else t.same(contentOf(answer), contentOf(alone), operation.id)
      t.same([...secretsIn(answer, owner), ...secretsIn(answer, other)], [], `${operation.id} tells a secret`)
    }
  }
})

t.test('nobody else does anything with what is the owner’s', async t => {
  const before = await system.stateOf(owner.address)
  const refusals = new Map<string, string>()
  const refused = (answer: CallAnswer, status: number, code: string, what: string) => {
    t.match(answer, { status, body: { success: false, code } }, `${what}: ${answer.text}`)
    t.same(secretsIn(answer, owner), [], `${what} tells a secret`)
  }
  for (const operation of guarded) {
    const target = targetOf(owner)
    const ask = (token?: string) => send(operation, target, token)
    for (const [what, credential] of [
      ['nothing', undefined],
      ...Object.entries({ ...voidCredentials, ...voidCookies }),
    ] as const) {
      const answer = await ask(credential)
      refused(answer, 401, 'UNAUTHORIZED', `${operation.id} with ${what}`)
      t.match(answer.headers.get('www-authenticate'), /^Bearer/, operation.id)
      // One credential, one sentence: no route tells more about a refused credential than another.
      // Whoever registers a webhook without a credential is also told what to change in code for the incumbent.
      const [sentence] = answer.body.error.split(' Code that was written for ')
      const known = refusals.get(what) ?? sentence!
      t.equal(sentence, known, `${operation.id} with ${what}`)
      refusals.set(what, known)
    }
    for (const scope of SCOPES.filter(scope => !scopesOf(operation.access).includes(scope))) {
      const code = operation.access === 'wallet' ? 'SIGN_IN_REQUIRED' : 'SCOPE_MISSING'
      refused(await ask(owner.keyOf[scope].key), 403, code, `${operation.id} with a key for ${scope}`)
    }
    if (operation.access === 'wallet')
      refused(await ask(owner.key.key), 403, 'SIGN_IN_REQUIRED', `${operation.id} with a key for everything`)
    // What changes the caller's own things.
    if (operation.method !== 'GET' && operation.foreign === 'own') continue
    const foreigners = [other.token, other.cookie, ...(operation.access === 'wallet' ? [] : [other.key.key])]
    for (const token of foreigners) {
      const answer = await ask(token)
      const what = `${operation.id} by another gateway`
      if (operation.foreign === 403) refused(answer, 403, 'FORBIDDEN', what)
      else if (operation.foreign === 404) refused(answer, 404, 'NOT_FOUND', what)
      else {
        t.equal(answer.status, operation.success, what)
        t.same(secretsIn(answer, owner), [], `${what} tells a secret`)
        t.notOk(answer.text.includes(owner.address), `${what} tells of the owner`)
      }
    }
  }
  t.equal(await system.stateOf(owner.address), before, 'no request changed anything of the owner’s')
})

t.test('every export is its owner’s alone', async t => {
  for (const kind of ['payments', 'policies', 'subscribers', 'revenue']) {
    const path = `/v1/gateway/${owner.address}/merchant/export/${kind}`
    t.equal((await call('GET', path, { token: owner.token })).status, 200, kind)
    for (const token of [other.token, other.key.key]) {
      t.match(await call('GET', path, { token }), { status: 403, body: { code: 'FORBIDDEN' } }, kind)
      const own = await call('GET', path.replace(owner.address, other.address), { token })
      t.equal(own.status, 200, kind)
      const isTold = own.text.includes(owner.address) || own.text.includes(owner.signature)
      t.notOk(isTold, `${kind} tells of the owner`)
    }
  }
})

t.test('an id of another gateway cannot be told from an id that nobody has', async t => {
  const byId = guarded.filter(({ foreign }) => foreign === 404)
  const nobodys = 2_000_000_000
  const answerTo = async (operation: Operation, target: Partial<Target>) => {
    const answer = await send(operation, { ...targetOf(other), ...target }, other.token)
    return { ...contentOf(answer), headers: [...answer.headers.keys()].sort(), length: answer.text.length }
  }
  for (const operation of byId) {
    const known = await answerTo(operation, { webhookId: nobodys, keyId: nobodys, sessionId: nobodys })
    t.equal(known.status, 404, operation.id)
    const neighbours = [owner.webhookId, other.webhookId + 1, other.webhookId - 1].filter(
      id => id > 0 && id !== other.webhookId,
    )
    const keys = Object.values(owner.keyOf).map(({ id }) => id)
    if (operation.id === 'revokeApiKey')
      for (const keyId of keys) t.same(await answerTo(operation, { keyId }), known)
    else if (operation.id === 'endGatewaySession')
      t.same(await answerTo(operation, { sessionId: owner.sessionId }), known)
    else
      for (const webhookId of neighbours)
        t.same(await answerTo(operation, { webhookId }), known, operation.id)
    if (!operation.path.includes('{deliveryId}')) continue
    const unknown = await answerTo(operation, { deliveryId: nobodys })
    t.equal(unknown.status, 404, operation.id)
    for (const deliveryId of [owner.deliveryId, owner.deliveryId - 1, owner.deliveryId + 1].filter(
      id => id > 0 && id !== other.deliveryId,
    ))
      t.same(await answerTo(operation, { deliveryId }), unknown, `${operation.id}: the owner's delivery`)
  }
})

// Times of answers are too uneven on a busy machine to compare. What makes them differ is work: so this compares what the
// API says to Postgres and gets back, byte for byte.
t.test('an id of another gateway costs no more and no less than an id that nobody has', async t => {
  const MOST_TRIES = 200
  const costOf = async (operation: Operation, target: Partial<Target>) => {
    const before = system.databaseTraffic()
    const answer = await send(operation, { ...targetOf(other), ...target }, other.token)
    const after = system.databaseTraffic()
    if (answer.status !== 404) throw new Error(`${operation.id} answered ${answer.status}`)
    return { sent: after.sent - before.sent, received: after.received - before.received }
  }
  /** The least of some tries by turns: other traffic adds, and what the API just asked is not asked again. */
  const compare = async (operation: Operation, foreign: Partial<Target>, unknown: Partial<Target>) => {
    const first = { sent: Infinity, received: Infinity }
    const second = { sent: Infinity, received: Infinity }
    for (let count = 0; count < MOST_TRIES; count++) {
      for (const [least, target] of [
        [first, foreign],
        [second, unknown],
      ] as const) {
        const { sent, received } = await costOf(operation, target)
        Object.assign(least, {
          sent: Math.min(least.sent, sent),
          received: Math.min(least.received, received),
        })
      }
      if (count > 2 && first.sent === second.sent && first.received === second.received) break
    }
    t.ok(first.sent > 0 && first.received > 0, `${operation.id} asks Postgres`)
    t.same(first, second, operation.id)
  }
  /** An id that nobody has, of as many digits. */
  const unlike = (id: number) => Number('9'.repeat(String(id).length))
  for (const operation of guarded.filter(({ foreign }) => foreign === 404)) {
    const { webhookId, sessionId } = owner
    const owned = { webhookId, sessionId, keyId: owner.key.id }
    const nobodys = {
      webhookId: unlike(webhookId),
      sessionId: unlike(sessionId),
      keyId: unlike(owner.key.id),
    }
    await compare(operation, owned, nobodys)
    if (operation.path.includes('{deliveryId}'))
      await compare(operation, { deliveryId: owner.deliveryId }, { deliveryId: unlike(owner.deliveryId) })
  }
})

t.test('a trace tells a gateway of its own deliveries only', async t => {
  const trace = operations.find(({ id }) => id === 'tracePayments')!
  const ask = (token?: string, signature = owner.signature) =>
    send(trace, { ...targetOf(owner), signature }, token)
  const alone = await ask()
  t.equal(alone.status, 200)
  t.notOk(alone.text.includes('"webhookId"'), 'nobody is told of deliveries')
  t.same((await ask(other.token)).body, alone.body, 'another gateway is told what anybody is told')
  t.same((await ask(other.keyOf['webhooks:read'].key)).body, alone.body)
  for (const [what, credential] of Object.entries(voidCredentials))
    t.equal((await ask(credential)).status, 401, what)
  for (const scope of ['webhooks:write', 'merchant:read'] as const)
    t.match(await ask(owner.keyOf[scope].key), { status: 403, body: { code: 'SCOPE_MISSING' } })
  for (const token of [owner.token, owner.keyOf['webhooks:read'].key])
    t.ok((await ask(token)).text.includes(`"webhookId":${owner.webhookId}`), 'the owner is told')
  const webhooksIn = async (party: Party) =>
    [...(await ask(party.token, system.basket)).text.matchAll(/"webhookId":(\d+)/g)].map(([, id]) =>
      Number(id),
    )
  t.same(await webhooksIn(owner), [owner.webhookId], 'of a transaction that pays both')
  t.same(await webhooksIn(other), [other.webhookId])
})

t.test('a sign-in gives a session, or a link, of the caller’s gateway alone', async t => {
  for (const operation of ofAccess(access => access === 'sign-in')) {
    const ask = (credential?: string) => send(operation, targetOf(owner), credential)
    for (const [what, credential] of [
      ['nothing', undefined],
      ...Object.entries({ ...voidCredentials, ...voidCookies }),
      ['a session', owner.cookie],
    ] as const)
      t.match(
        await ask(credential),
        { status: 401, body: { code: 'UNAUTHORIZED' } },
        `${operation.id}, ${what}`,
      )
    for (const party of [owner, other])
      for (const credential of [party.token, party.key.key, party.keyOf['merchant:read'].key]) {
        const answer = await ask(credential)
        t.equal(answer.status, operation.success, operation.id)
        const [, link] = answer.body.path?.split('#link=') ?? []
        const opened = link
          ? await call('POST', '/v1/session', { headers: { origin: system.urls.api }, body: { link } })
          : answer
        t.equal(opened.body.gateway, party.address, operation.id)
        const isOfAll = credential === party.token
        t.equal(opened.body.scopes === null, isOfAll, `${operation.id}: what a wallet alone may`)
      }
  }
})

t.test('a search tells a gateway of its own things only', async t => {
  const search = operations.find(({ id }) => id === 'search')!
  const find = async (token?: string) => {
    const answer = await call(search.method, `/v1/search?q=${owner.webhookId}`, { token })
    const hits = answer.body as unknown as { kind: string; id: string }[]
    return Array.isArray(hits) ? hits.map(({ kind, id }) => `${kind} ${id}`) : answer.status
  }
  const own = [`webhook ${owner.webhookId}`]
  for (const token of [owner.token, owner.keyOf['webhooks:read'].key]) t.match(await find(token), own)
  for (const token of [undefined, other.token, owner.keyOf['merchant:read'].key])
    t.same(await find(token), [], 'nobody else is told')
  for (const [what, credential] of Object.entries(voidCredentials)) t.equal(await find(credential), 401, what)
  t.equal(await find(owner.keyOf['webhooks:write'].key), 403)
})

t.test('a proof of payment is renewed for its bearer alone', async t => {
  const renew = operations.find(({ access }) => access === 'proof')!
  const issue = operations.find(({ id }) => id === 'issueToken')!
  const issued = await send(issue, targetOf(owner))
  const renewed = await send(renew, targetOf(owner), issued.body.token)
  t.equal(renewed.status, renew.success, renewed.text)
  const forged = { ...voidCredentials, 'a gateway’s token': owner.token, 'a key': owner.key.key }
  for (const [what, credential] of [['nothing', undefined], ...Object.entries(forged)] as const)
    t.match(
      await send(renew, targetOf(owner), credential),
      { status: 401, body: { code: 'UNAUTHORIZED' } },
      what,
    )
  t.match(await call('GET', '/v1/webhooks', { token: issued.body.token }), { status: 401 }, 'no route')
})

t.test('the sockets tell everybody of payments, and nobody of anything else', async t => {
  const connect = (auth: Record<string, string> = {}) => connectTo(t, system.urls.realtime, { auth })
  const subscribe = (client: ReturnType<typeof connect>, request: object): Promise<SubscribeReply> =>
    client.timeout(30_000).emitWithAck('subscribe', { trackingId: owner.trackingId, ...request })
  const refusals: unknown[] = []
  for (const token of ['', owner.token, other.key.key, ...Object.values(voidCredentials)]) {
    const auth: Record<string, string> = token === '' ? {} : { token }
    const client = connect(auth)
    const reply = await subscribe(client, { since: 0 })
    t.match(reply, { ok: true })
    const { resume: _resume, ...rest } = reply as Extract<SubscribeReply, { ok: true }>
    const text = JSON.stringify(rest)
    t.same(secretsOfBoth(text), [])
    refusals.push(rest)
    const left = new Promise(resolve => client.once('ack', resolve))
    client.emit('unsubscribe', { trackingId: owner.trackingId })
    await left
    client.disconnect()
    await waitFor(async () => !client.connected, { what: 'the client to leave' })
  }
  for (const each of refusals) t.same(each, refusals[0], 'a credential changes nothing')

  const [first, second] = [connect(), connect()]
  const held = (await subscribe(first, {})) as Extract<SubscribeReply, { ok: true }>
  t.match(held, { ok: true })
  const elsewhere = (await subscribe(second, { trackingId: other.trackingId })) as typeof held
  const guesses = [undefined, elsewhere.resume, held.resume.slice(0, -1), held.resume.toUpperCase(), '']
  for (const resume of guesses)
    t.match(await subscribe(second, resume === undefined ? {} : { resume }), { ok: false }, `with ${resume}`)
  t.match(await subscribe(second, { resume: held.resume }), { ok: true }, 'its own secret takes it over')
})

t.test('the stream tells everybody the same events', async t => {
  const read = async (token?: string) => {
    const socket = new WebSocket(`${system.urls.api.replace('http', 'ws')}/v1/events/stream?since=0`, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    })
    t.teardown(() => socket.terminate())
    const messages: string[] = []
    socket.on('message', message => messages.push((message as Buffer).toString()))
    await once(socket, 'open')
    const counted = (await call('GET', '/v1/events/count')).body.count as number
    await waitFor(async () => messages.length === counted + 1, { what: 'the head and every event' })
    return messages
  }
  const alone = await read()
  for (const token of [owner.token, other.key.key, ...Object.values(voidCredentials)])
    t.same(await read(token), alone)
  const text = alone.join()
  t.same(secretsOfBoth(text), [])
})

t.test('the pages of operators and the board of queues open to the operators’ password alone', async t => {
  t.ok(opsRoutes.length > 60, 'the routes were found')
  const base = system.urls.ops
  for (const { method, path } of opsRoutes) {
    const what = `${method} ${path}`
    const ask = (token?: string) => call(method, path, { base, token })
    if (OPEN.has(what)) {
      t.not((await ask()).status, 303, `${what} needs no sign-in`)
      continue
    }
    const alone = await ask()
    t.equal(alone.status, 401, what)
    t.equal(
      (await call(method, path, { base, headers: { cookie: 'ops_session=a.zzzzzzzz.b' } })).status,
      401,
      what,
    )
    if (method === 'GET')
      t.match(
        await call(method, path, { base, headers: { accept: 'text/html' } }),
        { status: 303, text: '' },
        `${what} sends a browser to the sign-in`,
      )
  }
})

t.test('a gateway is no operator, and the board lets operators look only', async t => {
  const base = system.urls.ops
  for (const token of [owner.token, owner.key.key, 'a wrong password of some length'])
    t.equal((await call('GET', '/queues/api/queues', { base, token })).status, 401)
  const asOperator = (method: string, path: string) => call(method, path, { base, token: system.opsToken })
  for (const path of ['/', '/pipeline', '/dead-letters', '/failed-deliveries', '/stream-gaps'])
    t.equal((await asOperator('GET', path)).status, 200, path)
  const readQueues = async () => (await asOperator('GET', '/queues/api/queues')).body.queues
  const before = await readQueues()
  t.match(before, [{ name: 'deliveries', isPaused: false }])
  for (const { method, path } of opsRoutes.filter(each => /^\/queues\/.*/.test(each.path)))
    if (!/^(GET|HEAD)$/.test(method))
      await asOperator(method, path.replace('/api/queues/1/', '/api/queues/deliveries/'))
  t.same(await readQueues(), before)
})

t.test('what is for operators is on no public port', async t => {
  for (const base of [system.urls.api, system.urls.realtime, system.urls.ops])
    for (const path of ['/metrics', '/healthz', '/readyz'])
      t.notOk((await call('GET', path, { base })).status === 200, `${base} ${path}`)
})

t.test('a process of the API that is paused in a request never made ingest wait', async t => {
  const writing = guarded.filter(({ method }) => method !== 'GET')
  await pauseInEach(t, system, writing)
})

t.test('the owner does everything, with a token and with a key of the scope', async t => {
  // What deletes everything comes last.
  const last = ['deleteWebhooksOfGateway', 'endGatewaySessions']
  const inOrder = [...guarded].sort((a, b) => last.indexOf(a.id) - last.indexOf(b.id))
  for (const operation of inOrder) {
    const credentials = { 'its token': owner.token, 'its session': owner.cookie }
    for (const scope of SCOPES.filter(each => scopesOf(operation.access).includes(each)))
      Object.assign(credentials, { [`a key for ${scope}`]: owner.keyOf[scope].key })
    for (const [what, given] of Object.entries(credentials)) {
      const target = targetOf(owner)
      let credential = given
      if (operation.id === 'endGatewaySession') target.sessionId = (await system.addSession()).id
      if (operation.id === 'endGatewaySessions' && given === owner.cookie)
        credential = (await system.addSession()).cookie
      // One replay of an endpoint goes on at a time.
      if (['deleteWebhook', 'replayMissing'].includes(operation.id))
        target.webhookId = await system.addWebhook()
      if (operation.id === 'deleteWebhooksOfGateway') await system.addWebhook()
      if (operation.id === 'revokeApiKey') target.keyId = await system.addKey()
      const answer = await send(operation, target, credential)
      t.equal(answer.status, operation.success, `${operation.id} with ${what}: ${answer.text}`)
      t.match(answer.headers.get('cache-control'), /no-store/, `${operation.id} is kept by no cache`)
    }
  }
  const listed = await call('GET', '/v1/webhooks', { token: other.token })
  t.match(listed, { status: 200, body: [{ id: other.webhookId }] })
})
