// The laws of what is expected, over histories in which most payments can be what somebody expects.
import t from 'tap'
import { holdLaws } from './hold-laws.js'

t.setTimeout(0)
await holdLaws(t, {
  histories: Number(process.env.LAWS_RUNS ?? 60),
  together: 10,
  databases: 1,
  laws: ['expected', 'order', 'retraction'],
  known: true,
})
