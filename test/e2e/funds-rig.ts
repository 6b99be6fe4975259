// Why a due payment will not come: from the accounts on the chain, through nodes, indexer, stream, ingest and worker, to
// the gateway's webhook and to the record.
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
import {
  buildAddress,
  openReceiver,
  startService,
  useEnvironment,
  waitFor,
  type TestContext,
} from '@payment-tracking/testkit'

const DAY = 86_400
const NOW = Math.floor(Date.now() / 1000)
const CYCLE_MS = 500
const PAYMENTS = derivePaymentsDelegate(DEFAULT_PROGRAM_ID)
const AUTHORITY = buildAddress('authority')
const GATEWAY = deriveGateway(DEFAULT_PROGRAM_ID, AUTHORITY)
const FEES = buildAddress('fees')
const AMOUNT = 6n

export interface Payer {
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
export async function openFundsRig(t: TestContext) {
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
