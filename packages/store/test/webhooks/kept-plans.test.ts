// A worker's plans are kept, also those that were made while the tables were empty. So they must find rows by key
// whatever they were made for: asserted on the plans of the very statements.
import { createDatabase } from '@payment-tracking/testkit'
import t from 'tap'
import type { PreparedSql } from '../../src/prepared-sql.js'
import { claimDeliveries, finishAttempts, holdDeliveries } from '../../src/webhooks/index.js'

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Cond'?: string
  'Join Filter'?: string
  Plans?: Plan[]
}

const partsOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(partsOf)]

t.test('planned over empty tables, the statements of a worker find each row by its key', async t => {
  const { pool } = await createDatabase(t)
  await pool.query('analyze')
  const plans: { text: string; plan: Plan }[] = []
  const $queryRaw = async (strings: TemplateStringsArray, ...values: unknown[]) => {
    const { Prisma } = await import('../../src/generated/client.js')
    const { text } = Prisma.sql(strings, ...values)
    // As `keepToIndexes` sets it for every connection of a worker.
    const client = await pool.connect()
    try {
      await client.query('set enable_seqscan = off')
      const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
        `explain (generic_plan, format json) ${text}`,
      )
      plans.push({ text, plan: rows[0]!['QUERY PLAN'][0]!.Plan })
    } finally {
      client.release()
    }
    return []
  }
  const sql = { $queryRaw } as unknown as PreparedSql
  await claimDeliveries(sql, ['1'], 1_000)
  await finishAttempts(sql, [
    {
      attemptId: 1n,
      deliveryId: 1n,
      attempt: 1,
      outcome: 'accepted',
      next: 'delivered',
      retryInMs: 0,
      statusCode: 200,
      error: null,
      responseHeaders: null,
      responseBody: null,
    },
  ])
  await holdDeliveries(sql, [{ id: '1', forMs: 1, reason: 'rate cap' }], 1)
  t.ok(plans.length >= 3)
  for (const { text, plan } of plans) {
    for (const part of partsOf(plan)) {
      const reads = part['Relation Name'] !== undefined && part['Node Type'].includes('Scan')
      if (reads)
        t.ok(part['Index Cond'], `${part['Node Type']} of ${part['Relation Name']} in ${text.slice(0, 60)}`)
    }
  }
})
