// The laws over other random histories in each run. SEED=n repeats a run, and LAWS_RUNS=n chooses how many there are.
import t from 'tap'
import { holdLaws } from './hold-laws.js'
import type { Law } from './laws.js'

const { SEED = String(Date.now() % 2 ** 31), LAWS_RUNS = '10000', LAWS } = process.env

t.setTimeout(800_000)
await holdLaws(t, {
  histories: Number(LAWS_RUNS),
  ...{ together: 50, databases: 2, seed: Number(SEED), seconds: 700 },
  only: LAWS?.split(',') as Law[] | undefined,
})
