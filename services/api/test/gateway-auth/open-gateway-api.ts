// The API with its Redis, and gateways whose wallets belong to the test.
import { createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { createLogger, createMetrics, readConfig } from '@payment-tracking/runtime'
import { openQueue } from '@payment-tracking/queue'
import { openRedis } from '@payment-tracking/redis'
import { openStore } from '@payment-tracking/store/core'
import { createDatabase, inRoleOf, useRedis, waitFor, type TestContext } from '@payment-tracking/testkit'
import bs58 from 'bs58'
import type { ApiServer } from '../../src/api-server.js'
import { buildApp } from '../../src/app.js'
import { ApiConfig } from '../../src/config.js'
import { makeSigningKeys } from './make-signing-keys.js'

export interface Wallet {
  publicKey: string
  /** base58 */
  sign(text: string): string
  signBytes(text: string): number[]
}

export function makeWallet(privateKey: KeyObject = generateKeyPairSync('ed25519').privateKey): Wallet {
  const { x } = createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' })).export({
    format: 'jwk',
  })
  const signBytes = (text: string) => [...sign(null, Buffer.from(text, 'utf8'), privateKey)]
  return {
    publicKey: bs58.encode(Buffer.from(x!, 'base64url')),
    signBytes,
    sign: text => bs58.encode(Uint8Array.from(signBytes(text))),
  }
}

export interface TestGateway {
  address: string
  authority: Wallet
}

export interface CallAnswer {
  status: number
  // Tests read untyped JSON on purpose.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
  headers: Record<string, unknown>
}

interface CallOptions {
  token?: string | undefined
  body?: unknown
  app?: ApiServer
  headers?: Record<string, string>
  from?: string
}

/** @param pods how many API processes share the database and the Redis */
export async function openGatewayApi(
  t: TestContext,
  { pods = 1, settings = {} }: { pods?: number; settings?: Record<string, string> } = {},
) {
  const database = await createDatabase(t)
  const redis = await useRedis(t)
  const logs: string[] = []
  const given = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    JWT_PRIVATE_KEYS: makeSigningKeys(),
    RATE_LIMIT_MAX: '100000',
    ...settings,
  }
  const config = readConfig(ApiConfig, inRoleOf('api', given))
  const log = createLogger('api', config, { write: line => void logs.push(line) })
  const own = openStore({ DATABASE_URL: config.DATABASE_URL, poolSize: 4 })
  const store = openStore({ DATABASE_URL: given.DATABASE_URL, poolSize: 4 })
  t.teardown(() => Promise.all([own.close(), store.close()]))
  const apps: ApiServer[] = []
  for (let pod = 0; pod < pods; pod++) {
    const redis = openRedis(config)
    const queue = openQueue(config)
    const app = await buildApp({ config, log, store: own, redis, queue, metrics: createMetrics() })
    apps.push(app)
    t.teardown(async () => {
      await app.close()
      await queue.close()
      await redis.close()
    })
    await waitFor(() => Promise.all([redis.ping(), queue.ping()]), { what: 'Redis' })
  }
  const call = async (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    { token, body, app = apps[0]!, headers = {}, from = '192.0.2.1' }: CallOptions = {},
  ): Promise<CallAnswer> => {
    const answer = await app.inject({
      method,
      url,
      remoteAddress: from,
      headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      ...(body === undefined ? {} : { payload: body as object }),
    })
    return {
      status: answer.statusCode,
      body: answer.body === '' ? undefined : JSON.parse(answer.body),
      headers: answer.headers,
    }
  }
  const challenge = async (gateway: TestGateway, from?: string): Promise<string> => {
    const options = from === undefined ? {} : { from }
    return (await call('POST', `/v1/gateway/${gateway.address}/auth/challenge`, options)).body.nonce
  }
  return {
    apps,
    /** What other services do: the API itself has fewer rights. */
    store,
    database,
    redis,
    logs,
    call,
    challenge,
    async addGateway(): Promise<TestGateway> {
      const gateway = { address: makeWallet().publicKey, authority: makeWallet() }
      await database.pool.query(
        'insert into gateways (address, authority, incarnation_start) values ($1, $2, $3)',
        [gateway.address, gateway.authority.publicKey, '0001'],
      )
      return gateway
    },
    async signIn(gateway: TestGateway, wallet = gateway.authority): Promise<string> {
      const nonce = await challenge(gateway)
      const proof = { signer: wallet.publicKey, signature: wallet.sign(nonce), nonce }
      return (await call('POST', `/v1/gateway/${gateway.address}/auth/verify`, { body: proof })).body.token
    },
  }
}

export type GatewayApi = Awaited<ReturnType<typeof openGatewayApi>>

/** A gateway that has signed in, and a call that adds a webhook of it. */
export async function addSignedIn(api: GatewayApi) {
  const gateway = await api.addGateway()
  const token = await api.signIn(gateway)
  const addWebhook = (over: Record<string, unknown> = {}) =>
    api.call('POST', '/v1/webhooks', {
      token,
      body: {
        gateway_pubkey: gateway.address,
        endpoint_url: 'https://shop.example/hook',
        format: 'standard',
        ...over,
      },
    })
  return { gateway, token, addWebhook }
}
