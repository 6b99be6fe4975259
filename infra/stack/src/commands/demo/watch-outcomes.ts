// Watches each payment on three ways: over REST, through a socket, at a webhook.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { SOCKET_PATH } from '@payment-tracking/contracts'
import { createWebhook, deleteWebhooks } from '@payment-tracking/store/admin'
import { openStore } from '@payment-tracking/store/core'
import { io } from 'socket.io-client'
import type { StackFile } from '../../launcher/index.js'
import type { PaymentTracker } from './track-payments.js'

/** Opens an HTTP server for deliveries and registers it for each gateway. */
export async function watchDeliveries(
  stack: StackFile,
  gateways: readonly string[],
  tracker: PaymentTracker,
) {
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const { data } = JSON.parse(body) as { data?: { signature?: string } }
      if (data?.signature) tracker.reach(data.signature, 'delivered')
      response.writeHead(204).end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const endpointUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const store = openStore({ DATABASE_URL: stack.databaseUrl, poolSize: 1 })
  const webhooks = await Promise.all(
    gateways.map(gateway => createWebhook(store, { gateway, endpointUrl, active: true })),
  )
  return {
    async close() {
      // These webhooks' server ends with the demo.
      for (const { gateway, id } of webhooks) await deleteWebhooks(store, gateway, id)
      await store.close()
      server.close()
      server.closeAllConnections()
    },
  }
}

/** A socket client, subscribed to each tracking ID as it appears. */
export async function watchSocket(stack: StackFile, tracker: PaymentTracker) {
  const socket = io(stack.baseUrl, { path: SOCKET_PATH, transports: ['websocket'] })
  socket.on('payment', (message: { data: { signature: string } }) =>
    tracker.reach(message.data.signature, 'pushed'),
  )
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('connect_error', reject)
  })
  const subscribed = new Set<string>()
  return {
    /** Resolves when payments of this tracking ID will be pushed. */
    async subscribe(trackingId: string): Promise<void> {
      if (subscribed.has(trackingId)) return
      subscribed.add(trackingId)
      const answer = (await socket.timeout(5_000).emitWithAck('subscribe', { trackingId })) as {
        ok: boolean
        message?: string
      }
      if (!answer.ok) throw new Error(`subscribe was refused: ${answer.message}`)
    },
    unsubscribe(trackingId: string): void {
      if (subscribed.delete(trackingId)) socket.emit('unsubscribe', { trackingId })
    },
    close: () => void socket.close(),
  }
}

/** Looks a new payment up soon, then at growing intervals: clients have a rate limit. */
const DELAYS_MS = [15, 30, 60, 120, 250, 500, 1_000]

/** Requests a payment over REST until the payment is stored. */
export async function watchStored(
  stack: StackFile,
  signature: string,
  tracker: PaymentTracker,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    await sleep(DELAYS_MS[Math.min(attempt, DELAYS_MS.length - 1)], undefined, { signal }).catch(() => {})
    const response = await fetch(`${stack.baseUrl}/v1/events?signature=${signature}`).catch(() => undefined)
    if (!response?.ok) continue
    const events = (await response.json()) as unknown[]
    if (events.length > 0) return tracker.reach(signature, 'stored')
  }
}
