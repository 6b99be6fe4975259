import { ingestLoadBench } from './ingest-load.js'

export const bench = ingestLoadBench('ingest-1m', { full: 1_000_000, quick: 1_000 })
