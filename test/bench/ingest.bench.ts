import { ingestLoadBench } from './ingest-load.js'

export const benches = [
  ingestLoadBench('ingest', { full: 100_000, quick: 1_000 }),
  ingestLoadBench('ingest-5m', { full: 5_000_000, quick: 1_000 }),
]
