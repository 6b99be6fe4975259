// What 100,000 payments that are due in three days cost: calls to the nodes, messages, memory.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { derivePaymentsDelegate, deriveTokenAccount } from '@payment-tracking/domain'
import { emitEvent, openSimulatedNode, SimulatedChain, TOKEN_PROGRAM } from '@payment-tracking/simulator'
import { openStore } from '@payment-tracking/store/core'
import { notifyRisks } from '@payment-tracking/store/messages'
import { buildAddress, startService, useEnvironment, waitFor } from '@payment-tracking/testkit'
import bs58 from 'bs58'
import { createHash } from 'node:crypto'
import t from 'tap'

t.setTimeout(2_400_000)

const COUNT = Number(process.env.DUE_PAYMENTS ?? 100_000)
const CYCLE_MS = Number(process.env.FUNDS_CYCLE_MS ?? 300_000)
const CYCLES = Number(process.env.FUNDS_CYCLES ?? 4)
const SAMPLES = 6
const key = (label: string) => bs58.encode(createHash('sha256').update(label).digest())
const MINT = buildAddress('mint')
const GATEWAY = buildAddress('gateway')
const RECIPIENT = buildAddress('recipient')

t.test('100,000 due payments are read by at most 1,000 calls in a cycle, spread over it', async t => {
  const { database, nats, settings } = await useEnvironment(t)
  const chain = new SimulatedChain({ programs: [DEFAULT_PROGRAM_ID] })
  const node = await openSimulatedNode(chain)
  t.teardown(() => node.close())
  t.teardown(async () => {
    const bucket = await nats.connection.jetstream().views.kv(`INDEXER_${nats.stream}`)
    await bucket.destroy()
  })
  const delegate = derivePaymentsDelegate(DEFAULT_PROGRAM_ID)
  const names = Array.from({ length: COUNT }, (_, at) => String(at))
  const accounts = names.map(name => key(`account ${name}`))
  for (const [at, account] of accounts.entries())
    chain.tokens.set(account, { mint: MINT, owner: key(`owner ${at}`), balance: 9n, delegate, allowance: 9n })
  chain.tokens.set(deriveTokenAccount(RECIPIENT, TOKEN_PROGRAM, MINT), {
    mint: MINT,
    owner: RECIPIENT,
    balance: 0n,
  })
  const list = (label: string) => names.map(name => key(`${label} ${name}`))
  await database.pool.query(
    `insert into user_payments (address, owner, token_mint, token_account, incarnation_start)
     select u, o, $4, a, '1' from unnest($1::text[], $2::text[], $3::text[]) k (u, o, a)`,
    [list('user payment'), list('owner'), accounts, MINT],
  )
  await database.pool.query(
    `insert into policies (address, user_payment, live, incarnation_start, gateway, recipient, policy_type, created_at,
                           updated_at, status, policy_id, next_payment_due, due_at)
     select p, u, true, '1', $3, $4, '{"Subscription":{"amount":6}}', 1, 1, 'active', 1, d, d
       from unnest($1::text[], $2::text[]) k (p, u),
            (select floor(extract(epoch from now()))::bigint + 86400 as d) n`,
    [list('policy'), list('user payment'), GATEWAY, RECIPIENT],
  )
  await database.pool.query('analyze')
  const calledAt: number[] = []
  node.faults.alter = (method, answer) => {
    if (method === 'getMultipleAccounts') calledAt.push(performance.now())
    return answer
  }
  chain.execute([
    emitEvent(DEFAULT_PROGRAM_ID, 'EmergencyPauseChanged', {
      admin: buildAddress('admin'),
      was_paused: true,
      is_paused: false,
    }),
  ])
  chain.finalize()
  await startService(t, 'ingest', settings)
  const indexer = await startService(t, 'indexer', {
    ...settings,
    SOLANA_RPC_URLS: node.url,
    'indexer.fundsCycleMs': String(CYCLE_MS),
  })
  const memory = async () => {
    const text = await (await fetch(`${indexer.managementUrl}/metrics`)).text()
    return Number(/^\w*process_resident_memory_bytes\S* (\S+)$/m.exec(text)?.[1]) / 2 ** 20
  }
  const megabytes: number[] = []
  await waitFor(() => calledAt.length > 0, { what: 'the first call', timeoutMs: 60_000 })
  for (let sample = 1; sample <= SAMPLES; sample++) {
    const wanted = calledAt[0]! + (sample * CYCLES * CYCLE_MS) / SAMPLES
    await waitFor(
      () => {
        chain.advance()
        return performance.now() >= wanted
      },
      { what: `sample ${sample}`, timeoutMs: CYCLES * CYCLE_MS + 60_000, intervalMs: 400 },
    )
    megabytes.push(Math.round(await memory()))
  }
  const most = (spanMs: number) => {
    let highest = 0
    for (let from = 0, to = 0; to < calledAt.length; to++) {
      while (calledAt[to]! - calledAt[from]! > spanMs) from++
      highest = Math.max(highest, to - from + 1)
    }
    return highest
  }
  const seen = async () =>
    Number((await database.pool.query<{ n: string }>('select count(*) as n from token_accounts')).rows[0]!.n)
  t.equal(await seen(), COUNT + 1, 'every account, and that of who is paid')
  const inCycle = most(CYCLE_MS)
  const inHundredth = most(CYCLE_MS / 100)
  t.ok(inCycle <= 1_005, `${inCycle} calls in any cycle's time`)
  t.ok(inHundredth <= 15, `${inHundredth} calls in any hundredth of it`)
  t.ok(Math.max(...megabytes.slice(1)) <= 1.5 * megabytes[0]!, `memory: ${megabytes.join(', ')} MB`)
  const { state } = await (await nats.connection.jetstreamManager()).streams.info(nats.stream)
  const bytesEach = Math.round(state.bytes / state.messages)
  t.comment(`${state.messages} messages of ${bytesEach} bytes in ${CYCLES} cycles`)
  await database.pool.query(
    `insert into webhooks (gateway, endpoint_url, secret, event_types) values ($1, 'https://shop.example', 'whsec_x', $2)`,
    [GATEWAY, ['subscription.at_risk']],
  )
  const store = openStore({ DATABASE_URL: database.url, poolSize: 4 })
  t.teardown(() => store.close())
  const startedAt = performance.now()
  t.equal(await notifyRisks(store, { programId: DEFAULT_PROGRAM_ID, limit: 200 }), 0)
  const checkMs = Math.round(performance.now() - startedAt)
  t.comment(
    `calls ${inCycle} a cycle, ${inHundredth} a hundredth; memory ${megabytes.join(', ')} MB; a check ${checkMs} ms`,
  )
  process.stderr.write(
    `COST calls ${inCycle}/${inHundredth} memory ${megabytes.join(',')} MB messages ${state.messages} of ${bytesEach} B check ${checkMs} ms\n`,
  )
})
