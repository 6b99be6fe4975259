// The laws over other random histories in each run. SEED=n repeats a run, LAWS_RUNS=n chooses how many there are, and with
// LAWS_SECONDS=n as many of them are drawn as this time allows, a hundredth at least.
import t from 'tap'
import { holdLaws } from './hold-laws.js'
import type { Law } from './laws.js'

const { SEED = '20261127', LAWS_RUNS = '10000', LAWS_SECONDS, LAWS } = process.env
const histories = Number(LAWS_RUNS)

await holdLaws(t, {
  histories,
  least: LAWS_SECONDS === undefined ? histories : histories / 100,
  together: 50,
  databases: 2,
  seed: Number(SEED),
  seconds: Number(LAWS_SECONDS ?? 700),
  only: LAWS?.split(',') as Law[] | undefined,
})
