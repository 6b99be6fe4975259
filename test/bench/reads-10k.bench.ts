import { readsLoadBench } from './reads-load.js'

export const bench = readsLoadBench('reads-10k', { full: 10_000, quick: 1_000 })
