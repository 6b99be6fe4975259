// Why a due payment will not come: from the accounts on the chain, through nodes, indexer, stream, ingest and worker, to
// the gateway's webhook and to the record. Each cause is told within a cycle, and cleared after its cure.
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
import { buildAddress, openReceiver, startService, useEnvironment, waitFor } from '@payment-tracking/testkit'
import t from 'tap'

t.setTimeout(180_000)

const DAY = 86_400
const NOW = Math.floor(Date.now() / 1000)
const CYCLE_MS = 1_000
const PAYMENTS = derivePaymentsDelegate(DEFAULT_PROGRAM_ID)
const AUTHORITY = buildAddress('authority')
const GATEWAY = deriveGateway(DEFAULT_PROGRAM_ID, AUTHORITY)
const FEES = buildAddress('fees')
const AMOUNT = 6n

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

interface Payer {
  name: string
  mint: string
  program: string
  account: string
  recipientAccount: string
  policies: string[]
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

interface Case {
  payer: Payer
  make: (payer: Payer) => void
  cure: (payer: Payer) => void
}
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
  insufficient_balance: {
    payer: open('balance gone'),
    make: change({ balance: AMOUNT - 1n }),
    cure: change({ balance: AMOUNT }),
  },
  'insufficient_balance of several': {
    payer: open('two policies of one account', { policies: 2 }),
    make: change({ balance: 2n * AMOUNT - 1n }),
    cure: change({ balance: 2n * AMOUNT }),
  },
  insufficient_allowance: {
    payer: open('allowance lowered'),
    make: change({ allowance: AMOUNT - 1n }),
    cure: change({ allowance: AMOUNT }),
  },
  'insufficient_allowance of Token-2022': {
    payer: open('allowance of Token-2022', { program: TOKEN_2022_PROGRAM }),
    make: change({ allowance: 0n }),
    cure: change({ allowance: AMOUNT }),
  },
  delegate_revoked: {
    payer: open('another program approved'),
    make: change({ delegate: buildAddress('another program') }),
    cure: change({ delegate: PAYMENTS }),
  },
  account_missing: {
    payer: open('account closed'),
    make: ({ account }) => chain.tokens.close(account),
    cure: reopen,
  },
  account_frozen: {
    payer: open('frozen', { program: TOKEN_2022_PROGRAM }),
    make: change({ frozen: true }),
    cure: change({ frozen: false }),
  },
  recipient_account_missing: {
    payer: open('recipient without account'),
    make: ({ recipientAccount }) => chain.tokens.close(recipientAccount),
    cure: ({ recipientAccount, mint, program, name }) =>
      chain.tokens.set(recipientAccount, {
        mint,
        program,
        owner: buildAddress(`recipient ${name}`),
        balance: 0n,
      }),
  },
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
await startService(t, 'api', { ...env, PORT: String(port), JWT_PRIVATE_KEYS: buildJwtKeys() })
await startService(t, 'indexer', {
  ...env,
  SOLANA_RPC_URLS: nodes.map(({ url }) => url).join(),
  INDEXER_POLL_MS: '100',
  'indexer.fundsCycleMs': String(CYCLE_MS),
})
chain.finalize()

interface Told {
  type: string
  data: { paymentPolicy: string; clearedCause?: string; dueRisk: { cause: string | null } | null }
}
/** `<type> <cause> <policy>` of all that the receiver was sent. */
const told = () =>
  receiver.requests.map(({ body }) => {
    const { type, data } = JSON.parse(body) as Told
    return `${type.replace('subscription.', '')} ${data.clearedCause ?? data.dueRisk?.cause} ${data.paymentPolicy}`
  })
const riskOf = async (policy: string) => {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/payment-policies/${policy}`)
  const { data } = (await answer.json()) as { data: { dueRisk: { state: string; cause: string | null } } }
  return answer.ok ? data.dueRisk : undefined
}
/** The chain goes on meanwhile. */
const until = (what: string, holds: () => Promise<boolean> | boolean) =>
  waitFor(
    () => {
      chain.advance()
      return holds()
    },
    { what, timeoutMs: 20_000 },
  )
const haveState = (state: string, payers = ALL) =>
  until(`${payers.length} wallets to be ${state}`, async () => {
    const risks = await Promise.all(payers.flatMap(({ policies }) => policies.map(riskOf)))
    return risks.every(risk => risk?.state === state)
  })
const linesOf = (type: string, cause: string, { policies }: Payer) =>
  policies.map(policy => `${type} ${cause.split(' ')[0]} ${policy}`)

t.test('accounts with enough are no risk', async t => {
  await haveState('ok')
  t.same(told(), [])
})

t.test('each cause is told within a cycle, and cleared after its cure', async t => {
  for (const [cause, { payer, make, cure }] of Object.entries(CASES)) {
    const before = told().length
    const madeAt = performance.now()
    make(payer)
    await until(cause, () => told().length >= before + payer.policies.length)
    const toldMs = Math.round(performance.now() - madeAt)
    t.same(told().slice(before).sort(), linesOf('at_risk', cause, payer).sort(), cause)
    t.match(await riskOf(payer.policies[0]!), { state: 'at_risk', cause: cause.split(' ')[0] })
    const curedAt = performance.now()
    cure(payer)
    await until(`the end of ${cause}`, () => told().length >= before + 2 * payer.policies.length)
    t.same(
      told()
        .slice(before + payer.policies.length)
        .sort(),
      linesOf('at_risk_cleared', cause, payer).sort(),
    )
    t.comment(
      `${cause}: told after ${toldMs} ms, cleared after ${Math.round(performance.now() - curedAt)} ms`,
    )
  }
  await haveState('ok')
})

t.test('a pause of the program is told of every due payment', async t => {
  const before = told().length
  const policies = ALL.flatMap(payer => payer.policies)
  const pause = (is: boolean) => {
    say('EmergencyPauseChanged', { admin: buildAddress('admin'), was_paused: !is, is_paused: is })
    chain.finalize()
  }
  pause(true)
  await until('the pause', () => told().length >= before + policies.length)
  t.same(told().slice(before).sort(), policies.map(policy => `at_risk program_paused ${policy}`).sort())
  pause(false)
  await until('its end', () => told().length >= before + 2 * policies.length)
  t.same(
    told()
      .slice(before + policies.length)
      .sort(),
    policies.map(policy => `at_risk_cleared program_paused ${policy}`).sort(),
  )
})

/** What was seen gets older than it may be, and nobody renews it. */
const forget = () =>
  database.pool.query(`update token_accounts set checked_at = checked_at - interval '16 minutes'`)

t.test('nodes that disagree, are behind, limit the rate or are away are no alarm', async t => {
  const [first, second] = nodes as [(typeof nodes)[0], (typeof nodes)[0]]
  const before = told().length
  const payer = ALL[0]!
  const calls = () => nodes.map(node => node.calls.get('getMultipleAccounts') ?? 0)
  /** Both nodes are asked again, twice. */
  const askedAgain = async () => {
    const since = calls()
    await until('two more rounds', () => calls().every((count, at) => count >= since[at]! + 6))
  }
  second.faults.alter = (method, answer) => {
    if (method !== 'getMultipleAccounts') return answer
    const { context, value } = answer.result as { context: object; value: unknown[] }
    return { ...answer, result: { context, value: value.map(() => null) } }
  }
  await askedAgain()
  await forget()
  await haveState('unknown')
  await askedAgain()
  await haveState('unknown')
  second.faults.alter = null
  await haveState('ok')

  for (const node of nodes) node.faults.lagSlots = 5_000
  change({ balance: 0n })(payer)
  await forget()
  await askedAgain()
  await haveState('unknown')
  change({ balance: 100n })(payer)
  second.faults.lagSlots = 0
  await haveState('ok')
  first.faults.lagSlots = 0

  for (const node of nodes) node.faults.rateLimited = Infinity
  await forget()
  await haveState('unknown')
  for (const node of nodes) node.faults.rateLimited = 0
  await haveState('ok')

  for (const node of nodes) node.faults.down = true
  await forget()
  await haveState('unknown')
  for (const node of nodes) node.faults.down = false
  await haveState('ok')
  t.same(told().slice(before), [], 'nothing was told')
})
