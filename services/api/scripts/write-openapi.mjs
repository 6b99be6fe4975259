// Writes the OpenAPI document to packages/client/openapi.json, without any server: building the application opens no
// connection. Run `npm run build` before.
import { writeFileSync } from 'node:fs'
import { generateKeyPairSync } from 'node:crypto'
import { createLogger, createMetrics, readConfig } from '@payment-tracking/runtime'
import { openStore } from '@payment-tracking/store/core'
import { buildApp } from '../dist/app.js'
import { ApiConfig } from '../dist/config.js'

const key = {
  ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }),
  kid: 'none',
  alg: 'EdDSA',
}
const config = readConfig(ApiConfig, {
  DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  REDIS_URL: 'redis://127.0.0.1:1',
  JWT_PRIVATE_KEYS: JSON.stringify({ keys: [key] }),
  LOG_LEVEL: 'silent',
})
const store = openStore(config)
const app = await buildApp({ config, log: createLogger('api', config), store, metrics: createMetrics() })
const target = new URL('../../../packages/client/openapi.json', import.meta.url)
// The document names the server that was asked. This copy is of no server.
const document = JSON.parse((await app.inject('/openapi.json')).body)
document.servers[0].url = '/'
writeFileSync(target, `${JSON.stringify(document, null, 2)}\n`)
await app.close()
await store.close()
