import { ingestLoadBench } from './ingest-load.js'

export const bench = ingestLoadBench('ingest-5m', { full: 5_000_000, quick: 1_000 })
