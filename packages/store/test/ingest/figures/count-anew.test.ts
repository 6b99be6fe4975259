// A rebuild counts all figures again, page by page beside ingest. That every reader finds them right then is a law of ../../laws.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import {
  buildAddress,
  buildBatch,
  buildChain,
  buildRandom,
  dumpProjections,
  type ChainMessage,
} from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import type { Store } from '../../../src/core/database/open-store.js'
import { quarantine } from '../../../src/core/quarantine/isolate.js'
import { takeBack } from '../../../src/core/quarantine/quarantined-rows.js'
import { rebuildProjections } from '../../../src/ingest/batch/begin-rebuild.js'
import { commitBatch } from '../../../src/ingest/batch/commit-batch.js'
import { runTaskPage } from '../../../src/ingest/batch/do-work.js'
import { pruneStep } from '../../../src/ingest/retention/prune.js'
import { openTestStore } from '../../open-test-store.js'
import { interruptedOnce } from './interrupted-once.js'

const programId = DEFAULT_PROGRAM_ID
const TABLES = ['event_counts', 'payment_token_stats'] as const
const SPOIL = `
  update payment_token_stats set total = total - 5, min = 1, max = null where span = 3600;
  delete from payment_token_stats where span = 86400;
  update event_counts set count = count + 7 where gateway = '' or span = 3600`
const COUNT_ANEW = `
  insert into work (kind, key) values ('figures', 'figures') on conflict (kind, key) do update set cursor = ''`
t.setTimeout(300_000)

async function openShop(t: Test) {
  const { store, pool } = await openTestStore(t)
  let now = Date.parse('2026-03-01T12:00:00.000Z')
  const chain = buildChain({ seed: 'anew', firstSlot: 1_000_000, now: () => now })
  const gateway = await chain.openGateway()
  const commit = async (messages: readonly ChainMessage[], retracted: readonly ChainMessage[] = []) => {
    const controls = retracted.map(({ signature, slot }) => ({ kind: 'retracted' as const, signature, slot }))
    await commitBatch(store, buildBatch(messages, controls))
  }
  await commit([gateway.created])
  return {
    store,
    pool,
    commit,
    /** a policy whose payments have no token before `account` is known */
    openPolicy: async (trackingId: string) => {
      const account = await chain.openUserPayment(buildAddress(`mint of ${trackingId}`))
      const policy = await chain.openPolicy(gateway, account, { trackingId })
      await commit([policy.created])
      return { account: account.created, policy }
    },
    pay: (policy: Parameters<typeof chain.pay>[0], amount: number, afterMinutes = 7) => {
      now += afterMinutes * 60_000
      const message = chain.pay(policy)
      return { ...message, data: { ...message.data, amount: String(amount) } }
    },
  }
}

const doPage = async (store: Store, rows = 500) => {
  const done = await runTaskPage(store, { programId, sizer: { rowsOf: () => rows, note: () => {} } })
  return done[0]?.kind
}

for (const seed of ['1', '2', '3'])
  t.test(`begun over wrong figures, it ends right whatever comes between its pages: ${seed}`, async t => {
    const { store, pool, commit, openPolicy, pay } = await openShop(t)
    const random = buildRandom(seed, 'count anew')
    const policies = await Promise.all(Array.from({ length: 8 }, (_, at) => openPolicy(`policy ${at}`)))
    const unknown = [...policies]
    const paid: ChainMessage[] = []
    const payment = () => paid[paid.push(pay(random.pick(policies).policy, random.between(1, 9))) - 1]!
    await commit(Array.from({ length: 60 }, payment))
    const acts = [
      () => commit([payment(), payment()]),
      () => commit([], paid.splice(random.between(0, paid.length - 1), 1)),
      () => commit([], [paid.shift()!]),
      () => commit(unknown.splice(0, 1).map(({ account }) => account)),
      () => pool.query(random.chance(0.2) ? `${SPOIL}; ${COUNT_ANEW}` : 'select'),
    ]
    await pool.query(`${SPOIL}; ${COUNT_ANEW}`)
    let [pages, did] = [0, 0]
    for (; (await doPage(store, 7)) !== undefined; pages++)
      if (did < 40 && random.chance(0.7)) {
        await random.pick(acts)()
        did += 1
      }
    t.comment(`${pages} pages, ${did} acts`)
    const found = await dumpProjections(pool)
    await rebuildProjections(store, { programId })
    t.strictSame(await dumpProjections(pool), found, 'another rebuild finds the same')

    const limits = { batchDays: 1, deadLetterDays: 1, apiKeyDays: 1, limit: 50 }
    for (const table of TABLES) {
      while ((await pruneStep(store, table, limits))?.removed);
      const { rowCount } = await pool.query(`select distinct version from ${table}`)
      t.equal(rowCount, 1, 'retention removes what was replaced')
    }
    t.strictSame(await dumpProjections(pool), found)
  })

for (const [when, isBetween] of [
  ['an hour is read and written', true],
  ['the hour waits for them', false],
] as const)
  t.test(`lost extremes are found when the counting ends while ${when}`, async t => {
    const { store, pool, commit, openPolicy, pay } = await openShop(t)
    const { account, policy } = await openPolicy('late')
    const [least, ...others] = [1, 5, 7].map(amount => pay(policy, amount, 1))
    await commit([account, least!, ...others])
    await pool.query(COUNT_ANEW)
    t.equal(await doPage(store, 5), 'figures', 'counts the least payment and another')
    const row = { task: 'task' as const, key: 'figures figures' }
    await quarantine(store, row.task, row.key, 'planted')
    await commit([], [least!])
    const endCounting = async () => {
      await takeBack(store, row)
      t.equal(await doPage(store), 'figures')
    }
    const interrupted = interruptedOnce(store, isBetween ? endCounting : undefined)
    while ((await doPage(interrupted)) !== undefined);
    if (!isBetween) {
      t.equal(
        (await pool.query(`select from work where kind = 'hour'`)).rowCount,
        2,
        'the hour, of the gateway and of all',
      )
      await endCounting()
      await pool.query('update work set next_at = now()')
      while ((await doPage(store)) !== undefined);
    }
    const found = await dumpProjections(pool)
    await rebuildProjections(store, { programId })
    t.strictSame(await dumpProjections(pool), found)
  })
