// A gateway was deleted, and its webhooks were stopped some seconds later, by a worker that looked for such gateways.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { commitBatch } from '@payment-tracking/store/ingest'
import { doWebhookWork } from '@payment-tracking/store/deliveries'
import bs58 from 'bs58'
import { buildBatch, openTestStore } from '@payment-tracking/testkit'
import t from 'tap'
import { envelopeOf, keyOf } from '../../packages/domain/test/messages.js'

t.test('webhooks stop with the transaction that deletes their gateway, and stay so', async t => {
  const { store, pool } = await openTestStore(t)
  const authority = keyOf(9)
  let sequence = 0
  /** Stores one event, as ingest does. */
  const commit = async (name: string, data: object) => {
    sequence += 1
    const message = envelopeOf(name, data, {
      slot: 1_000 + sequence,
      signature: bs58.encode(new Uint8Array(64).fill(sequence)),
      program_id: DEFAULT_PROGRAM_ID,
    })
    await commitBatch(store, buildBatch([message]))
  }
  const name = [...Buffer.alloc(32).fill('gate', 0, 4)]
  const create = () =>
    commit('PaymentGatewayCreated', {
      authority,
      fee_recipient: authority,
      gateway_fee_bps: 100,
      name,
      url: new Array<number>(64).fill(0),
    })
  await create()
  const { rows } = await pool.query<{ address: string }>('select address from gateways')
  const gateway = rows[0]!.address
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  await pool.query(
    `with w as (insert into webhooks (gateway, endpoint_url, secret)
       values ($1, 'https://shop.example/hook', $2), ($3, 'https://other.example/hook', $2) returning id)
     insert into deliveries (webhook_id, message_id, type, message, state)
     select id, 'msg_' || id || state, 'payment.executed', 0, state
       from w, (values ('pending'), ('delivered')) states (state)`,
    [gateway, secret, keyOf(8)],
  )
  const read = async () =>
    (
      await pool.query(
        `select w.gateway = $1 as ours, w.active, w.deactivated_reason as reason,
                array_agg(d.state order by d.state) as states
           from webhooks w join deliveries d on d.webhook_id = w.id group by w.id order by w.id`,
        [gateway],
      )
    ).rows
  const other = { ours: false, active: true, reason: null, states: ['delivered', 'pending'] }
  t.match(await read(), [{ ours: true, active: true }, other])
  await commit('PaymentGatewayDeleted', { gateway, authority, name })
  t.match(await read(), [{ active: false, states: ['delivered', 'pending'] }, other], 'no delivery')
  await doWebhookWork(store, { kinds: ['cancel'] })
  const stopped = {
    ours: true,
    active: false,
    reason: 'gateway-deleted',
    states: ['cancelled', 'delivered'],
  }
  t.strictSame(await read(), [stopped, other])
  await create()
  t.strictSame(await read(), [stopped, other], 'the gateway exists again; its owner decides')
})
