import { readsLoadBench } from './reads-load.js'

export const bench = readsLoadBench('reads-5m', { full: 5_000_000, quick: 1_000 })
