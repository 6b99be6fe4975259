import { ConfigError } from '@payment-tracking/runtime'
import t from 'tap'
import { buildGatewayTokens } from '../../src/gateway-auth/gateway-tokens.js'
import { readSigningKeys } from '../../src/gateway-auth/signing-keys.js'
import { makeSigningKey } from './make-signing-keys.js'

const claims = { gateway: 'g', signer: 's', since: '1' }

t.test('keys rotate: the first key signs, all keys verify, and a removed key ends its tokens', async t => {
  const [old, fresh] = [makeSigningKey(), makeSigningKey()]
  const before = buildGatewayTokens(await readSigningKeys(JSON.stringify([old])), 'production')
  const during = buildGatewayTokens(
    await readSigningKeys(JSON.stringify({ keys: [fresh, old] })),
    'production',
  )
  const after = buildGatewayTokens(await readSigningKeys(JSON.stringify([fresh])), 'production')
  const token = await before.issue(claims)
  t.match(await during.read(token), claims)
  t.equal(await after.read(token), null)
  t.match(await after.read(await during.issue(claims)), claims)
})

t.test('bad keys are refused with a reason that shows nothing of the keys', async t => {
  const { d, ...publicOnly } = makeSigningKey()
  for (const text of [
    '{',
    '[]',
    '{}',
    JSON.stringify([publicOnly]),
    JSON.stringify([{ ...publicOnly, d: '' }]),
    'null',
  ]) {
    const error = await readSigningKeys(text).catch((caught: unknown) => caught)
    t.type(error, ConfigError, text.slice(0, 20))
    t.notOk((error as Error).message.includes(d!))
  }
})
