import { ingestLoadBench } from './ingest-load.js'

export const bench = ingestLoadBench('ingest', { full: 100_000, quick: 1_000 })
