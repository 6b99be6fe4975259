// The laws over random histories. SEED=n draws others, LAWS_RUNS=n chooses how many, LAWS_SECONDS=n draws for so long instead, and
// LAWS=sent,seq checks these laws alone.
import t from 'tap'
import { holdLaws } from './hold-laws.js'

const { LAWS_RUNS = '600', LAWS_SECONDS } = process.env

await holdLaws(t, {
  histories: LAWS_SECONDS === undefined ? Number(LAWS_RUNS) : 10 ** 9,
  together: 10,
  databases: 2,
  seconds: Number(LAWS_SECONDS ?? Infinity),
})
