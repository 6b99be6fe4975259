// A cause is notified within a cycle, and cleared after its cure.
import {
  buildAddress,
  openReceiver,
  startService,
  useEnvironment,
  waitFor,
  type TestContext,
} from '@payment-tracking/testkit'
import t from 'tap'
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import {
  deriveGateway,
  derivePaymentsDelegate,
  derivePolicy,
  deriveTokenAccount,
  deriveUserPayment,
} from '@payment-tracking/domain'
import {
  emitEvent,
  openSimulatedNode,
  SimulatedChain,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@payment-tracking/simulator'
import { buildJwtKeys, findFreePort } from '@payment-tracking/stack'

const DAY = 86_400
const NOW = Math.floor(Date.now() / 1000)
const CYCLE_MS = 500
const PAYMENTS = derivePaymentsDelegate(DEFAULT_PROGRAM_ID)
const AUTHORITY = buildAddress('authority')
const GATEWAY = deriveGateway(DEFAULT_PROGRAM_ID, AUTHORITY)
const FEES = buildAddress('fees')
const AMOUNT = 6n

interface Payer {
  name: string
  mint: string
  program: string
  account: string
  recipientAccount: string
  policies: string[]
}

interface Case {
  payer: Payer
  make: (payer: Payer) => void
  cure: (payer: Payer) => void
}

interface Received {
  type: string
  data: { paymentPolicy: string; clearedCause?: string; dueRisk: { cause: string | null } | null }
}

/** Wallets with enough, for three of the causes (all are in services/api/test/funds), and every process that their payments pass through. */
async function openFundsRig(t: TestContext) {
  const { database, nats, settings } = await useEnvironment(t)
  const chain = new SimulatedChain({ programs: [DEFAULT_PROGRAM_ID] })
  const nodes = [await openSimulatedNode(chain), await openSimulatedNode(chain)]
  t.teardown(() => Promise.all(nodes.map(node => node.close())))
  t.teardown(async () => {
    const bucket = await nats.connection.jetstream().views.kv(`INDEXER_${nats.stream}`)
    await bucket.destroy()
  })

  const say = (name: string, data: Record<string, unknown>) => {
    chain.advance()
    chain.execute([emitEvent(DEFAULT_PROGRAM_ID, name, data)])
  }

  /** A wallet with enough in its account, and its policies, each due tomorrow. */
  function open(name: string, { policies = 1, program = TOKEN_PROGRAM } = {}): Payer {
    const mint = buildAddress(`mint of ${program}`)
    const owner = buildAddress(`owner ${name}`)
    const recipient = buildAddress(`recipient ${name}`)
    const account = deriveTokenAccount(owner, program, mint)
    const recipientAccount = deriveTokenAccount(recipient, program, mint)
    const good = { mint, balance: 100n, program }
    chain.tokens.set(account, { ...good, owner, delegate: PAYMENTS, allowance: 100n })
    chain.tokens.set(recipientAccount, { ...good, owner: recipient })
    chain.tokens.set(deriveTokenAccount(FEES, program, mint), { ...good, owner: FEES })
    const userPayment = deriveUserPayment(DEFAULT_PROGRAM_ID, owner, mint)
    say('UserPaymentCreated', { owner, token_account: account, token_mint: mint })
    const made: string[] = []
    for (let id = 1; id <= policies; id++) {
      say('PaymentPolicyCreated', {
        user_payment: userPayment,
        recipient,
        gateway: GATEWAY,
        policy_id: id,
        policy_type: {
          Subscription: {
            amount: String(AMOUNT),
            auto_renew: true,
            max_renewals: null,
            payment_frequency: { Monthly: null },
            next_payment_due: String(NOW + DAY),
          },
        },
        memo: [...Buffer.from(name.padEnd(64, '\0'))],
      })
      made.push(derivePolicy(DEFAULT_PROGRAM_ID, userPayment, id))
    }
    return { name, mint, program, account, recipientAccount, policies: made }
  }

  say('PaymentGatewayCreated', {
    authority: AUTHORITY,
    fee_recipient: FEES,
    gateway_fee_bps: 100,
    name: [...Buffer.from('gateway'.padEnd(32, '\0'))],
    url: Array(64).fill(0),
  })

  const change = (changes: Parameters<typeof chain.tokens.change>[1]) => (payer: Payer) =>
    chain.tokens.change(payer.account, changes)
  const reopen = ({ account, mint, program, name }: Payer) =>
    chain.tokens.set(account, {
      mint,
      program,
      owner: buildAddress(`owner ${name}`),
      balance: 100n,
      delegate: PAYMENTS,
      allowance: 100n,
    })
  const CASES: Readonly<Record<string, Case>> = {
    'insufficient_balance of several': {
      payer: open('two policies of one account', { policies: 2 }),
      make: change({ balance: 2n * AMOUNT - 1n }),
      cure: change({ balance: 2n * AMOUNT }),
    },
    'insufficient_allowance of Token-2022': {
      payer: open('allowance of Token-2022', { program: TOKEN_2022_PROGRAM }),
      make: change({ allowance: 0n }),
      cure: change({ allowance: AMOUNT }),
    },
    account_missing: {
      payer: open('account closed'),
      make: ({ account }) => chain.tokens.close(account),
      cure: reopen,
    },
  }
  /** Who is paid has no usual account of the mint, but these. */
  function openByHand(name: string, accounts: readonly { frozen: boolean }[]): Payer {
    const payer = open(name)
    const { mint, program } = payer
    const owner = buildAddress(`recipient ${name}`)
    chain.tokens.close(payer.recipientAccount)
    for (const [nth, { frozen }] of accounts.entries())
      chain.tokens.set(buildAddress(`account ${nth} of ${name}`), {
        mint,
        program,
        owner,
        balance: 0n,
        frozen,
      })
    chain.finalize()
    return payer
  }
  const ALL = Object.values(CASES).map(({ payer }) => payer)

  const env = { ...settings, WEBHOOK_ALLOW_PRIVATE_TARGETS: '1' }
  const receiver = await openReceiver(t)
  await database.pool.query(
    `insert into webhooks (gateway, endpoint_url, secret, event_types) values ($1, $2, 'whsec_dGVzdA==', $3)`,
    [GATEWAY, receiver.url, ['subscription.at_risk', 'subscription.at_risk_cleared']],
  )
  await startService(t, 'ingest', env)
  await startService(t, 'webhook-worker', { ...env, 'webhook-worker.riskCheckEveryMs': '200' })
  const port = await findFreePort()
  await startService(t, 'api', {
    ...env,
    PORT: String(port),
    JWT_PRIVATE_KEYS: buildJwtKeys(),
    RATE_LIMIT_MAX: '100000',
  })
  await startService(t, 'indexer', {
    ...env,
    SOLANA_RPC_URLS: nodes.map(({ url }) => url).join(),
    INDEXER_POLL_MS: '100',
    'indexer.fundsCycleMs': String(CYCLE_MS),
  })
  chain.finalize()

  /** `<type> <cause> <policy>` of all that the receiver was sent. */
  const received = () =>
    receiver.requests.map(({ body }) => {
      const { type, data } = JSON.parse(body) as Received
      return `${type.replace('subscription.', '')} ${data.clearedCause ?? data.dueRisk?.cause} ${data.paymentPolicy}`
    })
  const riskOf = async (policy: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/payment-policies/${policy}`)
    const { data } = (await answer.json()) as { data: { dueRisk: { state: string; cause: string | null } } }
    if (answer.status === 429) throw new Error('the test asks too often')
    return answer.ok ? data.dueRisk : undefined
  }
  /** The chain goes on meanwhile. Both nodes must answer, and a node that failed several times backs off for up to 15 s. */
  const until = (what: string, holds: () => Promise<boolean> | boolean) =>
    waitFor(
      () => {
        chain.advance()
        return holds()
      },
      { what, timeoutMs: 60_000 },
    )
  const haveState = (state: string, payers = ALL) =>
    until(`${payers.length} wallets to be ${state}`, async () => {
      const risks = await Promise.all(payers.flatMap(({ policies }) => policies.map(riskOf)))
      return risks.every(risk => risk?.state === state)
    })
  return { chain, nodes, CASES, ALL, openByHand, received, riskOf, until, haveState }
}

const { chain, nodes, CASES, ALL, openByHand, received, riskOf, until, haveState } = await openFundsRig(t)

const linesOf = (type: string, cause: string, { policies }: Payer) =>
  policies.map(policy => `${type} ${cause.split(' ')[0]} ${policy}`)

t.test('accounts with enough are no risk', async t => {
  await haveState('ok')
  t.same(received(), [])
})

t.test('who is paid by an account made by hand is no risk, unless that is frozen', async t => {
  const usable = openByHand('made by hand', [{ frozen: true }, { frozen: false }])
  const frozen = openByHand('made by hand and frozen', [{ frozen: true }])
  await haveState('at_risk', [frozen])
  await haveState('ok', [usable])
  await until('the message', () => received().length > 0)
  t.same(received(), linesOf('at_risk', 'recipient_account_frozen', frozen))
  chain.tokens.set(frozen.recipientAccount, {
    mint: frozen.mint,
    program: frozen.program,
    owner: buildAddress(`recipient ${frozen.name}`),
    balance: 0n,
  })
  await until('its end', () => received().length > 1)
  t.same(received().slice(1), linesOf('at_risk_cleared', 'recipient_account_frozen', frozen))
  const asked = nodes.map(node => node.calls.get('getTokenAccountsByOwner'))
  t.same(asked, [2, 2], 'once for each of the two wallets, in whatever number of cycles')
  ALL.push(usable, frozen)
})

t.test('a cause is notified within a cycle, and cleared after its cure', async t => {
  for (const [cause, { payer, make, cure }] of Object.entries(CASES)) {
    const before = received().length
    const madeAt = performance.now()
    make(payer)
    await until(cause, () => received().length >= before + payer.policies.length)
    const tookMs = Math.round(performance.now() - madeAt)
    t.same(received().slice(before).sort(), linesOf('at_risk', cause, payer).sort(), cause)
    t.match(await riskOf(payer.policies[0]!), { state: 'at_risk', cause: cause.split(' ')[0] })
    const curedAt = performance.now()
    cure(payer)
    await until(`the end of ${cause}`, () => received().length >= before + 2 * payer.policies.length)
    t.same(
      received()
        .slice(before + payer.policies.length)
        .sort(),
      linesOf('at_risk_cleared', cause, payer).sort(),
    )
    t.comment(
      `${cause}: notified after ${tookMs} ms, cleared after ${Math.round(performance.now() - curedAt)} ms`,
    )
  }
  await haveState('ok')
})

t.test('nodes that tell nothing of other accounts are no alarm', async t => {
  const before = received().length
  for (const node of nodes)
    node.faults.alter = (method, answer) =>
      method === 'getTokenAccountsByOwner'
        ? { jsonrpc: answer.jsonrpc, id: answer.id, error: { code: -32601, message: 'Method not found' } }
        : answer
  const asked = () => nodes.map(node => node.calls.get('getTokenAccountsByOwner') ?? 0)
  const since = asked()
  const refused = openByHand('nodes refuse', [{ frozen: false }])
  await until('both nodes to be asked', () => asked().every((count, at) => count > since[at]!))
  await haveState('unknown', [refused])
  t.match(await riskOf(refused.policies[0]!), { balance: 100, dueTogether: 6 }, 'the payer is seen')
  t.same(received().slice(before), [], 'nothing was sent')
})
