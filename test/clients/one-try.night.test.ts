// How long a customer waits between the payment's block and what the incumbent's pages ask: a proof, the records of REST
// and the socket. The project's own indexer reads a chain whose blocks come every 0.4 s, at `confirmed` and at
// `finalized`. Times are shown, and judged by slots alone.
import { emitEvent, openSimulatedNode, SimulatedChain } from '@payment-tracking/simulator'
import { buildChain, startStack, waitFor } from '@payment-tracking/testkit'
import { io } from 'socket.io-client'
import t from 'tap'
import { PROGRAM, STRANGER } from '../e2e/chain-cases.js'

const SLOT_MS = 400
/** Blocks on top of a final block. */
const FINALITY_SLOTS = 31
const TRACKING_ID = 'one try'

for (const commitment of ['confirmed', 'finalized'] as const) {
  t.test(`with INDEXER_COMMITMENT=${commitment}`, async t => {
    const chain = new SimulatedChain({
      programs: [PROGRAM, STRANGER],
      finalitySlots: FINALITY_SLOTS,
      firstBlockTime: Math.floor(Date.now() / 1000),
    })
    const node = await openSimulatedNode(chain)
    t.teardown(() => node.close())
    const market = buildChain({ seed: `one try ${commitment}`, programId: PROGRAM })
    const gateway = await market.openGateway()
    const account = await market.openUserPayment()
    const policy = await market.openPolicy(gateway, account, {
      trackingId: TRACKING_ID,
      nextPaymentDue: Math.floor(Date.now() / 1000),
    })
    const paid = market.pay(policy)
    chain.execute([emitEvent(PROGRAM, gateway.created.event_name, gateway.created.data)])
    chain.finalize()
    const stack = await startStack(t, {
      SOLANA_RPC_URLS: node.url,
      SOLANA_WS_URLS: node.wsUrl,
      INDEXER_COMMITMENT: commitment,
      RATE_LIMIT_MAX: '100000',
    })
    const { baseUrl } = stack.describe()
    const read = (path: string) => fetch(`${baseUrl}${path}`)
    await waitFor(async () => ((await (await read('/v1/events')).json()) as unknown[]).length === 1, {
      what: 'the history',
      timeoutMs: 60_000,
    })

    const seenAt: Record<string, number> = {}
    const socket = io(baseUrl, { path: '/ws/v1', transports: ['websocket'] })
    t.teardown(() => void socket.close())
    let paidAt = 0
    const see = (who: string) => (seenAt[who] ??= Math.round(performance.now() - paidAt))
    socket.on('payment', () => see('socket'))
    await socket.timeout(10_000).emitWithAck('subscribe', { trackingId: TRACKING_ID })

    const blocks = setInterval(() => chain.advance(), SLOT_MS)
    t.teardown(() => clearInterval(blocks))
    const messages = [account.created, policy.created, paid]
    chain.execute(messages.map(({ event_name, data }) => emitEvent(PROGRAM, event_name, data)))
    const slot = chain.tip
    paidAt = performance.now()
    const ask = async () => {
      const proof = await fetch(`${baseUrl}/v1/tokens/issue`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ trackingId: TRACKING_ID, recipient: policy.recipient }),
      })
      if (proof.status === 200) see('proof')
      const record = await read(`/v1/onetime/${encodeURIComponent(TRACKING_ID)}`)
      if (record.status === 200) see('REST')
      return { proof: proof.status, record: record.status }
    }
    // A page that asks once, as soon as the wallet says that the transaction is confirmed.
    await waitFor(() => chain.confirmed >= slot, { what: 'the confirmation' })
    const oneTry = await ask()
    const finalAtOneTry = chain.finalized >= slot
    if (commitment === 'finalized' && !finalAtOneTry)
      t.same(oneTry, { proof: 404, record: 404 }, 'a page that asks once does not see the payment')
    // A checkout: until it is told, at most 30 s.
    let finalAtProof: boolean | undefined
    await waitFor(
      async () => {
        await ask()
        if (seenAt.proof !== undefined) finalAtProof ??= chain.finalized >= slot
        return ['proof', 'REST', 'socket'].every(who => who in seenAt)
      },
      // Several times in each slot: what is told is judged by slots.
      { what: 'everybody to be told', timeoutMs: 90_000, intervalMs: SLOT_MS / 4 },
    )
    if (commitment === 'finalized') {
      t.ok(finalAtProof, 'only what is final is told')
      const soonest = Math.min(...Object.values(seenAt))
      // One slot of grace: timers may fire early against each other.
      t.ok(soonest >= (FINALITY_SLOTS - 1) * SLOT_MS, `${soonest} ms`)
    }
    t.comment(
      `${commitment}: one try ${JSON.stringify(oneTry)}, ms after the block ${JSON.stringify(seenAt)}`,
    )
    clearInterval(blocks)
    t.equal(await stack.stop(), 0)
  })
}
