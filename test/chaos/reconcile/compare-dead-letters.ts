// Dead letters: each refused message once, by its sequence, with its code and its bytes; nothing else.
import type { CommitChecker } from '../load/commit-checker.js'
import type { Differences } from './differences.js'
import type { Expected } from './read-stream.js'

export async function compareDeadLetters(
  checker: CommitChecker,
  { letters, retracted }: Expected,
  differences: Differences,
): Promise<void> {
  const all = await checker.query<{ sequence: string; code: string; bytes: Buffer; replayed: boolean }>(
    'select stream_sequence::text as sequence, code, bytes, replayed_at is not null as replayed from dead_letters',
  )
  // A transaction that came again before its retraction was a contradiction until then.
  const isTakenIn = ({ code, bytes, replayed }: (typeof all)[number]): boolean =>
    replayed &&
    code === 'CONFLICT' &&
    retracted.has((JSON.parse(bytes.toString()) as { signature: string }).signature)
  const rows = all.filter(row => !isTakenIn(row))
  const describe = (code: string, bytes: Buffer) => `${code} ${bytes.toString('base64')}`
  const short = (lines: Map<string, string>) =>
    new Map([...lines].map(([key, value]) => [key, value.length > 120 ? `${value.slice(0, 120)}…` : value]))
  differences.compareMaps(
    'dead letters',
    short(
      new Map(
        letters.map(({ sequence, code, bytes }) => [String(sequence), describe(code, Buffer.from(bytes))]),
      ),
    ),
    short(new Map(rows.map(({ sequence, code, bytes }) => [sequence, describe(code, bytes)]))),
  )
}
