// The laws over histories that noticed each break of feeds, folds, retractions and expectations that was planted. The night draws others.
import t from 'tap'
import { holdLaws } from './hold-laws.js'

t.setTimeout(0)
await holdLaws(t, { histories: 60, together: 10, databases: 2, seed: 11 })
