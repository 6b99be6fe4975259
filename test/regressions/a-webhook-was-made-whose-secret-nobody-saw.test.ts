// A database with a DateStyle that is not ISO: lists answered 500, and so did the POST of a webhook, which was made all the
// same. Sessions have settings of their own now, and an answer that fails leaves nothing of its request.
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore, SessionSettingsError } from '@payment-tracking/store/core'
import { createDatabase, startService, useRedis, withClient } from '@payment-tracking/testkit'
import t from 'tap'
import { addSignedIn, openGatewayApi } from '../../services/api/test/gateway-auth/open-gateway-api.js'
import { makeSigningKeys } from '../../services/api/test/gateway-auth/make-signing-keys.js'

t.setTimeout(100_000)

const ODD_SETTINGS: [name: string, value: string][] = [
  ['datestyle', 'German'],
  ['datestyle', 'SQL, DMY'],
  ['datestyle', 'Postgres, YMD'],
  ['timezone', 'Asia/Kolkata'],
  ['intervalstyle', 'iso_8601'],
  ['extra_float_digits', '-15'],
  ['bytea_output', 'escape'],
  ['standard_conforming_strings', 'off'],
  ['array_nulls', 'off'],
  ['default_transaction_isolation', 'serializable'],
  ['transform_null_equals', 'on'],
]

const nameOf = (url: string) => new URL(url).pathname.slice(1)

t.test('an odd setting of the database changes no answer', async t => {
  const api = await openGatewayApi(t)
  const { token, addWebhook } = await addSignedIn(api)
  const made = await addWebhook()
  t.equal(made.status, 201)
  await api.call('POST', `/v1/webhooks/${made.body.id}/test`, { token })
  const paths = [
    '/v1/webhooks',
    `/v1/webhooks/${made.body.id}`,
    `/v1/webhooks/${made.body.id}/deliveries`,
    '/v1/events?limit=1',
    '/v1/events/payments?limit=1',
  ]
  const read = () => Promise.all(paths.map(path => api.call('GET', path, { token })))
  const before = await read()
  t.ok(before.every(({ status }) => status === 200))
  for (const [name, value] of ODD_SETTINGS) {
    await withClient(api.database.url, async client => {
      await client.query(`alter database ${nameOf(api.database.url)} set ${name} = '${value}'`)
      await client.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      )
    })
    const settle = async () => {
      for (;;) {
        const answers = await read()
        // Requests that used a connection which was just ended answer 503.
        if (answers.every(({ status }) => status !== 503)) return answers
        await sleep(10)
      }
    }
    t.same(
      (await settle()).map(({ status, body }) => ({ status, body })),
      before.map(({ status, body }) => ({ status, body })),
      `${name} = ${value}`,
    )
    const another = await addWebhook()
    t.match(another, { status: 201, body: { secret: /^whsec_/ } })
    await api.call('DELETE', `/v1/webhooks/${another.body.id}`, { token })
  }
})

t.test('behind a pooler a process refuses to start with an odd setting, and says which', async t => {
  const { url } = await createDatabase(t)
  const redis = await useRedis(t)
  await withClient(url, client => client.query(`alter database ${nameOf(url)} set datestyle = 'German'`))
  const settings = {
    DATABASE_URL: url,
    DATABASE_POOLER: 'transaction',
    REDIS_URL: redis.url,
    JWT_PRIVATE_KEYS: makeSigningKeys(),
  }
  const service = await startService(t, 'api', settings, { waitUntilReady: false })
  t.equal(await service.exited, 1)
  t.match(service.output, /DateStyle is 'German, DMY' and must be 'ISO, MDY'/)
  t.match(service.output, /infra\/postgres\/make-roles.sh/)
  const store = openStore({ DATABASE_URL: url, DATABASE_POOLER: 'transaction' })
  t.teardown(() => store.close())
  await t.rejects(store.ping(), SessionSettingsError)
})

t.test('a database of another encoding is refused', async t => {
  const { url } = await createDatabase(t)
  const name = `${nameOf(url)}_ascii`
  await withClient(url, client =>
    client.query(`create database ${name} encoding 'SQL_ASCII' template template0 locale 'C'`),
  )
  t.teardown(() => withClient(url, client => client.query(`drop database ${name} with (force)`)))
  const store = openStore({ DATABASE_URL: url.replace(nameOf(url), name) })
  await t.rejects(store.ping(), { code: 'STORE_SESSION', message: /server_encoding is 'SQL_ASCII'/ })
  await store.close()
})

t.test('options of the address stay, and cannot undo the settings', async t => {
  const { url } = await createDatabase(t)
  const options = encodeURIComponent('-c datestyle=German -c work_mem=5MB')
  const store = openStore({ DATABASE_URL: `${url}?options=${options}` })
  t.teardown(() => store.close())
  await store.ping()
})

const UNREADABLE = `
  create function unreadable() returns trigger language plpgsql as $$ begin
    if tg_table_name = 'webhooks' then
      new.created_at = 'infinity';
      if new.earlier_secrets <> '[]' then
        new.earlier_secrets = '[{"secret": "earlier", "until": "infinity"}]';
      end if;
    else new.created_at = 'infinity'; end if;
    return new;
  end $$;
  create trigger unreadable before insert or update on webhooks for each row execute function unreadable();
  create trigger unreadable before insert or update on deliveries for each row execute function unreadable();
  create trigger unreadable before insert or update on api_keys for each row execute function unreadable();`

const REFUSED_AT_COMMIT = `
  create function refused() returns trigger language plpgsql as $$ begin raise exception 'refused at the commit'; end $$;
  ${['webhooks', 'deliveries', 'api_keys', 'gateway_settings', 'work']
    .map(
      table =>
        `create constraint trigger refused after insert or update or delete on ${table} deferrable initially deferred for each row execute function refused();`,
    )
    .join('\n')}`

const TABLES = ['webhooks', 'deliveries', 'api_keys', 'gateway_settings', 'gateway_changes', 'work']

for (const [what, triggers] of [
  ['an answer that cannot be written', UNREADABLE],
  ['a commit that fails', REFUSED_AT_COMMIT],
] as const)
  t.test(`${what} leaves nothing of any writing request`, async t => {
    const api = await openGatewayApi(t)
    const { gateway, token, addWebhook } = await addSignedIn(api)
    const { id } = (await addWebhook()).body
    const delivery = (await api.call('POST', `/v1/webhooks/${id}/test`, { token })).body
    await api.database.pool.query(
      `update deliveries set state = 'failed', finished_at = now() where id = $1`,
      [delivery.id],
    )
    const key = await api.call('POST', '/v1/api-keys', {
      token,
      body: { name: 'a', scopes: ['webhooks:read'] },
    })
    const dump = async () => {
      const rows: unknown[] = []
      for (const table of TABLES)
        rows.push((await api.database.pool.query(`select x::text from ${table} x order by 1`)).rows)
      return rows
    }
    await api.database.pool.query(triggers)
    const before = await dump()
    const webhook = {
      gateway_pubkey: gateway.address,
      endpoint_url: 'https://x.example/',
      format: 'standard',
    }
    const answered: [name: string, method: 'POST' | 'PUT', path: string, body?: unknown][] = [
      ['create', 'POST', '/v1/webhooks', webhook],
      ['change', 'PUT', `/v1/webhooks/${id}`, { active: false }],
      ['rotate', 'POST', `/v1/webhooks/${id}/secret/rotate`],
      ['key', 'POST', '/v1/api-keys', { name: 'b', scopes: ['webhooks:read'] }],
    ]
    // These answers have no secret, and hold nothing that the database could make unreadable, or ingest may wait for the rows: then no
    // process may be paused between the write and its commit.
    const others: [name: string, method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown][] = [
      ['test', 'POST', `/v1/webhooks/${id}/test`],
      ['redeliver', 'POST', `/v1/webhooks/${id}/deliveries/${delivery.id}/redeliver`],
      ['redeliver many', 'POST', `/v1/webhooks/${id}/redeliver`, { since: '2020-01-01' }],
      [
        'replay',
        'POST',
        `/v1/webhooks/${id}/replay-missing`,
        { since: new Date(Date.now() - 60_000).toISOString() },
      ],
      ['settings', 'PUT', `/v1/gateway/${gateway.address}/settings`, { webhookFormat: 'tributary' }],
      ['revoke', 'DELETE', `/v1/api-keys/${key.body.id}`],
      ['delete', 'DELETE', `/v1/webhooks/${id}`],
      ['delete all', 'DELETE', `/v1/webhooks/gateway/${gateway.address}`],
    ]
    for (const [name, method, path, body] of triggers === UNREADABLE ? answered : [...answered, ...others]) {
      const answer = await api.call(method, path, { token, body })
      t.match(answer, { status: 500, body: { code: 'INTERNAL' } }, name)
      t.same(await dump(), before, `${name} left nothing`)
    }
  })
