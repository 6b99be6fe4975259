// The laws over random histories, the same in each run; laws.long.test.ts draws more. SEED=n draws others, LAWS_RUNS=n chooses how
// many, and LAWS=sent,seq checks these laws alone.
import t from 'tap'
import { holdLaws } from './hold-laws.js'

t.setTimeout(0)
await holdLaws(t, { histories: Number(process.env.LAWS_RUNS ?? 50), together: 10, databases: 1 })
