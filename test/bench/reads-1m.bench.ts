import { readsLoadBench } from './reads-load.js'

export const bench = readsLoadBench('reads-1m', { full: 1_000_000, quick: 1_000 })
