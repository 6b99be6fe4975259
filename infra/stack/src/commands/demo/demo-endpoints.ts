// The two endpoints of the demo's gateway: one that confirms each delivery, and one that fails.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openGatewaySession } from '../dev-kit/index.js'
import type { KeyPair } from '../../chain/index.js'

const PATHS = [
  { path: '/webhooks', status: 204, answer: '' },
  { path: '/broken', status: 500, answer: '{"error":"the orders database is read-only"}' },
] as const

interface Endpoint {
  id: number
  endpointUrl: string
}

async function listen({ path, status, answer }: (typeof PATHS)[number], port: number): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const isIt = request.url === path
      response.writeHead(isIt ? status : 404, { 'content-type': 'application/json' }).end(isIt ? answer : '')
    })
  })
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(port, '127.0.0.1', () => resolve()),
  )
  return server
}

/**
 * Listens, and registers what is not registered yet, with an API key beside. An earlier demo's endpoints keep their ports, so
 * that their deliveries go on.
 * @returns what ends the servers
 * @throws Error with the reason of the service
 */
export async function openDemoEndpoints(
  baseUrl: string,
  gateway: string,
  authority: KeyPair,
): Promise<() => void> {
  const session = await openGatewaySession(baseUrl, gateway, authority)
  const known = await session.ask<Endpoint[]>('GET', `/v1/webhooks/gateway/${gateway}`)
  const servers: Server[] = []
  for (const endpoint of PATHS) {
    const { path } = endpoint
    const earlier = known.find(({ endpointUrl }) => new URL(endpointUrl).pathname === path)
    const server = await listen(endpoint, earlier ? Number(new URL(earlier.endpointUrl).port) : 0)
    servers.push(server)
    if (earlier) continue
    const { port } = server.address() as AddressInfo
    await session.ask('POST', '/v1/webhooks', {
      gateway_pubkey: gateway,
      endpoint_url: `http://127.0.0.1:${port}${path}`,
      active: true,
      format: 'standard',
    })
  }
  if (known.length === 0)
    await session.ask('POST', '/v1/api-keys', { name: 'reports', scopes: ['merchant:read'] })
  return () => {
    for (const server of servers) {
      server.close()
      server.closeAllConnections()
    }
  }
}
