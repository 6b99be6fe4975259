// The laws over random histories, the same in each run; laws.long.test.ts draws others. SEED=n and LAWS_RUNS=n choose, and
// LAWS=told,seq checks these laws alone.
import t from 'tap'
import { holdLaws } from './hold-laws.js'
import type { Law } from './laws.js'

const { SEED = '1', LAWS_RUNS = '300', LAWS } = process.env

t.setTimeout(300_000)
await holdLaws(t, {
  histories: Number(LAWS_RUNS),
  least: Math.min(100, Number(LAWS_RUNS)),
  together: 10,
  databases: 1,
  seed: Number(SEED),
  seconds: 200,
  only: LAWS?.split(',') as Law[] | undefined,
})
