import t from 'tap'
import { countByName, startOf } from '../src/index.js'

t.test('events are counted by name, for all time, by day and by hour', async t => {
  const at = new Date('2026-03-04T05:06:07.089Z')
  t.strictSame(
    countByName([
      { name: 'A', occurredAt: at },
      { name: 'A', occurredAt: at },
    ]),
    [
      { name: 'A', span: 0, start: new Date(0), count: 2 },
      { name: 'A', span: 3600, start: new Date('2026-03-04T05:00:00Z'), count: 2 },
      { name: 'A', span: 86_400, start: new Date('2026-03-04T00:00:00Z'), count: 2 },
    ],
  )
  t.strictSame(startOf(3600, new Date('2026-03-04T05:00:00Z')), new Date('2026-03-04T05:00:00Z'))
})
