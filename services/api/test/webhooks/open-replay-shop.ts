// An API with shops whose endpoints miss events.
import { SENT } from '@payment-tracking/testkit'
import { doWebhookWork } from '@payment-tracking/store/deliveries'
import type { Test } from 'tap'
import { addSignedIn, openGatewayApi } from '../gateway-auth/open-gateway-api.js'
import { keyOf, memoOf, subscriptionOf, openChain } from '../open-chain.js'

export const NOW = Math.floor(Date.now() / 1000)
export const CHAIN = [
  'payment.executed',
  'payment.retracted',
  ...['created', 'paused', 'resumed', 'completed', 'deleted'].map(name => `subscription.${name}`),
]

export interface Sent {
  id: string
  type: string
  message_id: string
  body: string
  state: string
}

/** An API, its chain, and `openShop`: a gateway, signed in, with payments of its own. */
export async function openReplayShops(t: Test) {
  const api = await openGatewayApi(t)
  const { pool } = api.database
  const chain = openChain(api.store)
  const openShop = async (name: string) => {
    const { gateway, token, addWebhook: create } = await addSignedIn(api)
    const add = async (choices: Record<string, unknown> = {}) => Number((await create(choices)).body.id)
    const call = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) =>
      api.call(method, `/v1/webhooks/${path}`, { token, ...(body && { body }) })
    const replay = (id: number, body: object = { since: new Date(Date.now() - 3_600_000).toISOString() }) =>
      call('POST', `${id}/replay-missing`, body)
    const work = async (limit?: number) => {
      for (;;) {
        const page = await doWebhookWork(api.store, { kinds: ['replay'], ...(limit && { limit }) })
        if (page === null) return
        t.ok(page.handled <= (limit ?? 500))
      }
    }
    return {
      gateway: gateway.address,
      token,
      add,
      call,
      replay,
      last: async (id: number) => (await call('GET', `${id}/replay-missing`)).body.replay,
      work,
      turn: (id: number, active: boolean) => call('PUT', String(id), { active }),
      pay: (memo: string, more: object = {}) =>
        chain.transfer({ gateway: gateway.address, amount: '5', memo: memoOf(memo), ...more }, NOW),
      policy: (over: object = {}) =>
        chain.policy({
          gateway: gateway.address,
          owner: keyOf(`payer of ${name}`),
          memo: `plan ${name}`,
          at: NOW,
          type: subscriptionOf(),
          ...over,
        }),
      sent: async (id: number): Promise<Sent[]> =>
        (
          await pool.query(
            `select id, type, message_id, body, state from ${SENT} d where webhook_id = $1 order by id`,
            [id],
          )
        ).rows,
    }
  }
  return { api, pool, chain, openShop }
}

export const idsOf = (sent: readonly Sent[]) => sent.map(({ message_id: id }) => id)
export const memosOf = (sent: readonly Sent[]) =>
  sent.map(({ body }) => JSON.parse(body).data.trackingId as string)
