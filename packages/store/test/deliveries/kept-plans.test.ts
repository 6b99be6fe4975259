// A worker's plans are kept, also those that were made while the tables were empty. So they must find rows by key
// whatever they were made for: asserted on the plans of the very statements.
import { createDatabase } from '@payment-tracking/testkit'
import t from 'tap'
import { openStore } from '../../src/core/database/open-store.js'
import { raw, sql } from '../../src/core/database/sql.js'
import { claimDeliveries, type ClaimedDelivery } from '../../src/deliveries/claim-deliveries.js'
import { finishAttempts } from '../../src/deliveries/finish-attempts.js'
import { deferDeliveries } from '../../src/deliveries/defer-deliveries.js'
import { putBackDeliveries } from '../../src/deliveries/put-back-deliveries.js'
import { resultOf } from './attempt-result.js'

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Cond'?: string
  'Index Name'?: string
  'Join Filter'?: string
  Plans?: Plan[]
}

const partsOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(partsOf)]

t.test('planned over empty tables, the statements of a worker find each row by its key', async t => {
  const { pool, url } = await createDatabase(t)
  await pool.query('analyze')
  const store = openStore({ DATABASE_URL: url, poolSize: 1, keepToIndexes: true })
  t.teardown(() => store.close())
  await claimDeliveries(store, ['1'], 1_000)
  const delivery = {
    id: 1n,
    webhookId: 1n,
    messageId: 'msg_1',
    attempt: 1,
    startedAt: new Date(),
  } as ClaimedDelivery
  await finishAttempts(store, [resultOf(delivery)])
  await deferDeliveries(store, [{ id: '1', forMs: 1, reason: 'rate cap' }], 1)
  await putBackDeliveries(store, [{ delivery, forMs: 1, reason: 'breaker open' }])
  // The pool has one connection, which keeps every statement that it prepared.
  const statements = await store.database.read<{ text: string }>(
    sql`select statement as text from pg_prepared_statements where statement like '%deliveries%'`,
  )
  t.ok(statements.length >= 4)
  const plans = []
  for (const { text } of statements) {
    const [row] = await store.database.write<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      sql`${raw(`explain (generic_plan, format json) ${text}`)}`,
    )
    plans.push({ text, plan: row!['QUERY PLAN'][0]!.Plan })
  }
  const indexes = plans.flatMap(({ plan }) => partsOf(plan)).map(part => part['Index Name'])
  t.ok(indexes.includes('deliveries_open_order'), 'an order by tracking ID reads its own deliveries alone')
  for (const { text, plan } of plans) {
    for (const part of partsOf(plan)) {
      const reads = part['Relation Name'] !== undefined && part['Node Type'].includes('Scan')
      if (reads)
        t.ok(part['Index Cond'], `${part['Node Type']} of ${part['Relation Name']} in ${text.slice(0, 60)}`)
    }
  }
})
