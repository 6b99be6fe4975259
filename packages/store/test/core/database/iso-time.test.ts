// Times are answered as text that was never a Date: the text must equal the text of a Date.
import { createDatabase, withClient } from '@payment-tracking/testkit'
import t from 'tap'
import { toIsoTime } from '../../../src/core/database/pg-codec.js'

/** Whole seconds, one to three digits, leap days, and both ends of what an event may say. */
const TIMES = [
  '1970-01-01T00:00:00.000Z',
  '1999-12-31T23:59:59.999Z',
  '2024-02-29T12:00:00.100Z',
  '2026-11-22T01:02:03.040Z',
  '2026-11-22T01:02:03.005Z',
  '9999-12-31T23:59:59.999Z',
]

for (const zone of ['UTC', 'Asia/Kolkata', 'Africa/Monrovia', 'America/St_Johns']) {
  t.test(`a time of a session in ${zone}`, async t => {
    const { url } = await createDatabase(t)
    const { rows } = await withClient(url, async client => {
      await client.query(`set timezone = '${zone}'`)
      return client.query<{ time: string }>(
        'select at::timestamptz(3)::text as time from unnest($1::text[]) with ordinality as given (at, n) order by n',
        [TIMES],
      )
    })
    const found = rows.map(({ time }) => toIsoTime(time))
    t.same(found, TIMES)
  })
}
