import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { fromEpochDays, toEpochDays } from '../src/time/civil-date.js'
import { readTimestamp } from '../src/index.js'
import { hold } from './hold.js'

t.test('an RFC 3339 date-time is read to the millisecond, whatever its offset', async t => {
  const dates = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
  const offsets = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 })
  const two = (value: number): string => String(value).padStart(2, '0')
  const property = fc.property(dates, offsets, (date, offset) => {
    assert.equal(readTimestamp(date.toISOString()), date.getTime())
    const local = new Date(date.getTime() + offset * 60_000)
    if (local.getUTCFullYear() > 9999) return
    const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
    const suffix = `${offset < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`
    assert.equal(readTimestamp(local.toISOString().replace('Z', suffix)), date.getTime())
  })
  hold(t, 'as Date wrote it', property, 500)
})

t.test('finer fractions are cut off, and lower case is as good', async t => {
  const ms = Date.parse('2026-01-31T15:04:57.123Z')
  t.equal(readTimestamp('2026-01-31T15:04:57.123999999Z'), ms)
  t.equal(readTimestamp('2026-01-31t15:04:57.123z'), ms)
  t.equal(readTimestamp('2026-01-31T15:04:57.1Z'), ms - 23)
  t.equal(readTimestamp('2026-01-31T15:04:57-00:00'), ms - 123)
  t.equal(readTimestamp('1969-12-31T23:30:00-01:00'), 1_800_000)
})

t.test('text that is no date-time from 1970 to 9999 is refused', async t => {
  const refused = [
    'yesterday',
    '',
    '2026-01-31',
    '2026-01-31T15:04:57',
    '2026-01-31 15:04:57Z',
    '2026-01-31T15:04Z',
    '2026-02-29T00:00:00Z',
    '2100-02-29T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T23:60:00Z',
    '2016-12-31T23:59:60Z',
    '2026-01-31T15:04:57+24:00',
    '2026-01-31T15:04:57+01:60',
    '2026-01-31T15:04:57+0100',
    '2026-01-31T15:04:57.Z',
    '1969-12-31T23:59:59.999Z',
    '1970-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '+12026-01-31T15:04:57Z',
    ' 2026-01-31T15:04:57Z',
    '2026-01-31T15:04:57Z\n',
    '２026-01-31T15:04:57Z',
    '0000-01-01T00:00:00Z',
  ]
  t.equal(readTimestamp('2000-02-29T00:00:00Z'), Date.UTC(2000, 1, 29))
  for (const text of refused) t.equal(readTimestamp(text), undefined, JSON.stringify(text))
})

t.test('the calendar agrees with Date on every day from 1968 to 2106, and far away', async t => {
  const sameAsDate = (days: number): boolean => {
    const date = new Date(days * 86_400_000)
    const civil = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
    return toEpochDays(civil) === days && JSON.stringify(fromEpochDays(days)) === JSON.stringify(civil)
  }
  for (let days = -730; days < 50_000; days++) if (!sameAsDate(days)) t.fail(`day ${days}`)
  hold(t, 'far away', fc.property(fc.integer({ min: -700_000, max: 2_932_896 }), sameAsDate), 500)
})
