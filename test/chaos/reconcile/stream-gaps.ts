import type { CommitChecker } from '../load/commit-checker.js'

/** The gaps of the stream that ingest recorded, by sequences, both inclusive. */
export async function readStreamGaps(checker: CommitChecker): Promise<{ first: number; last: number }[]> {
  const rows = await checker.query<{ first: string; last: string }>(
    'select from_sequence::text as first, to_sequence::text as last from stream_gaps order by id',
  )
  return rows.map(({ first, last }) => ({ first: Number(first), last: Number(last) }))
}
