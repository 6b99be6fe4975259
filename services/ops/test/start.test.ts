import { startService, createDatabase, useNats, useRedis } from '@payment-tracking/testkit'
import t from 'tap'

t.test('ops refuses to start without a token, and with a short token', async t => {
  const env = {
    DATABASE_URL: (await createDatabase(t)).url,
    REDIS_URL: (await useRedis(t)).url,
    NATS_URL: (await useNats(t)).url,
    OPS_PORT: '0',
  }
  for (const OPS_TOKEN of [undefined, 'short']) {
    const service = await startService(t, 'ops', { ...env, OPS_TOKEN }, { waitUntilReady: false })
    t.equal(await service.exited, 1)
  }
  const service = await startService(t, 'ops', { ...env, OPS_TOKEN: 'a token of more than 16 characters' })
  t.equal((await fetch(`${service.managementUrl}/readyz`)).status, 200)
  t.notOk(service.logs.some(line => JSON.stringify(line).includes('a token of more')))
  t.equal(await service.stop(), 0)
})
