// The webhook of `npm run listen`. DATA_DIR keeps its port, so that each run uses the same webhook with the same secret,
// and receives the events that occurred in between.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { WEBHOOK_EVENT_TYPES } from '@payment-tracking/domain'
import { findFreePort } from '../../servers/index.js'
import type { GatewaySession } from './gateway-session.js'

export interface Listener {
  /** the webhook */
  id: number
  port: number
  secret: string
  /** when it was registered */
  since: string
}

interface Webhook {
  id: number
  active: boolean
  endpointUrl: string
  createdAt: string
  secret: string
}

/** Which port belongs to each gateway's listener. */
const fileOf = (env: NodeJS.ProcessEnv): string => resolve(env.DATA_DIR?.trim() || '.data', 'listen.json')

function readPorts(env: NodeJS.ProcessEnv): Record<string, number> {
  const file = fileOf(env)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>) : {}
}

/**
 * Activates the webhook of an earlier run, or registers a webhook for all types of events.
 * @throws Error with the message of the service's refusal
 */
export async function keepListener(session: GatewaySession, env: NodeJS.ProcessEnv): Promise<Listener> {
  const ports = readPorts(env)
  const port = ports[session.gateway] ?? (await findFreePort())
  const endpointUrl = `http://127.0.0.1:${port}/npm-run-listen`
  const webhooks = await session.ask<Webhook[]>('GET', '/v1/webhooks')
  const known = webhooks.find(webhook => webhook.endpointUrl === endpointUrl)
  if (known) {
    if (!known.active) await session.ask('PUT', `/v1/webhooks/${known.id}`, { active: true })
    const { secret } = await session.ask<{ secret: string }>('GET', `/v1/webhooks/${known.id}/secret`)
    return { id: known.id, port, secret, since: known.createdAt }
  }
  const created = await session.ask<Webhook>('POST', '/v1/webhooks', {
    gateway_pubkey: session.gateway,
    endpoint_url: endpointUrl,
    eventTypes: WEBHOOK_EVENT_TYPES,
    format: 'standard',
    description: 'npm run listen',
  })
  writeFileSync(fileOf(env), JSON.stringify({ ...ports, [session.gateway]: port }))
  return { id: created.id, port, secret: created.secret, since: created.createdAt }
}

/**
 * Sends the webhook's failed and cancelled deliveries again.
 * @returns the number of deliveries
 */
export async function redeliverMissed(session: GatewaySession, { id, since }: Listener): Promise<number> {
  const { count } = await session.ask<{ count: number }>('POST', `/v1/webhooks/${id}/redeliver`, { since })
  return count
}
