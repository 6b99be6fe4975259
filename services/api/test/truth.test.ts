// The API returns every value of the second set's expected.json, integers to the last digit.
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
})
