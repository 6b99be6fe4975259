// The API returns every value of the second set's expected.json, integers to the last digit.
import { DIRECT_TRANSFER_POLICY } from '@payment-tracking/domain'
import { compareAnswers, describeDifferences, readSecondAnswers } from '@payment-tracking/testkit'
import t from 'tap'
import { fillFromSecondFixtures } from './fill-from-fixtures.js'
import { openApi } from './open-api.js'

t.test('every answer of the second set of fixtures', async t => {
  const api = await openApi(t, { RATE_LIMIT_MAX: '100000' })
  await fillFromSecondFixtures(api.store)
  const comparison = await compareAnswers(await readSecondAnswers(), async path => {
    const { status, text } = await api.get(path)
    return { status, text }
  })
  t.ok(comparison.compared > 2_500, `${comparison.compared} values were compared`)
  t.strictSame(describeDifferences(comparison), [])

  t.test('payments without a policy are found by who paid and who was paid', async t => {
    const list = async (query: Record<string, string>) => {
      const path = `/v1/events/payments?${new URLSearchParams({ limit: '1000', ...query })}`
      return (await api.get(path)).body as { id: string; payer: string | null; recipient: string | null }[]
    }
    const all = await list({ paymentPolicy: DIRECT_TRANSFER_POLICY })
    for (const [field, parameter] of [
      ['payer', 'directPayer'],
      ['recipient', 'directRecipient'],
    ] as const) {
      // Payments of the program's first versions name neither.
      const keys = [...new Set(all.map(payment => payment[field]))].filter(key => key !== null)
      t.ok(keys.length > 1, `${keys.length} keys`)
      for (const key of keys)
        t.strictSame(
          (await list({ [parameter]: key })).map(({ id }) => id),
          all.filter(payment => payment[field] === key).map(({ id }) => id),
          `${parameter}=${key}`,
        )
    }
    const { payer, recipient } = all.find(payment => payment.payer !== null && payment.recipient !== null)!
    const both = await list({ directPayer: payer!, directRecipient: recipient! })
    t.ok(both.length > 0, 'both together')
    t.strictSame(await list({ directPayer: DIRECT_TRANSFER_POLICY }), [])
  })
})
