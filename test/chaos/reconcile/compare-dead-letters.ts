// Dead letters: each refused message once, by its sequence, with its code and its bytes; nothing else.
import type { CommitChecker } from '../load/commit-checker.js'
import type { ModelLetter } from '../model/events.js'
import type { Differences } from './differences.js'

export async function compareDeadLetters(
  checker: CommitChecker,
  letters: readonly ModelLetter[],
  differences: Differences,
): Promise<void> {
  const rows = await checker.query<{ sequence: string; code: string; bytes: Buffer }>(
    'select stream_sequence::text as sequence, code, bytes from dead_letters',
  )
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
