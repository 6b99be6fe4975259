// The owner's card: what is written, is written through Prisma. A model says it, or a comment says why no model can.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const STORE = fileURLToPath(new URL('../../packages/store/src', import.meta.url))
/** These run before Prisma's client can, or are below it. */
const BESIDE = /^(generated|core\/database)\//

const WRITES = /\b(insert into|delete from) [a-z_$]|\bupdate [a-z_]+( [a-z])?\s+set\b/i
const COMMENT = /^\s*(\*|\/\/|\/\*)/
const DECLARATION = /^(export |async |function |const |let |class )/

/** The declarations of a file: each with the comment above it. */
function* declarationsOf(text: string): Generator<{ comment: string; code: string; line: number }> {
  let comment: string[] = []
  let code: string[] = []
  let line = 0
  for (const [at, each] of text.split('\n').entries()) {
    const begins = /^\/\*\*/.test(each) || (DECLARATION.test(each) && code.length > 0)
    if (begins && code.length > 0) {
      yield { comment: comment.join('\n'), code: code.join('\n'), line }
      comment = []
      code = []
    }
    if (COMMENT.test(each) && code.length === 0) comment.push(each)
    else {
      if (code.length === 0) line = at + 1
      if (!COMMENT.test(each)) code.push(each)
    }
  }
  yield { comment: comment.join('\n'), code: code.join('\n'), line }
}

const files = readdirSync(STORE, { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.ts') && !BESIDE.test(path))
  .sort()

t.test('each statement that writes says what a model of Prisma cannot say', async t => {
  let statements = 0
  const silent = files.flatMap(path =>
    [...declarationsOf(readFileSync(join(STORE, path), 'utf8'))].flatMap(({ comment, code, line }) => {
      if (!WRITES.test(code)) return []
      statements++
      return /\bSQL: /.test(comment) ? [] : [`${path}:${line}`]
    }),
  )
  t.ok(statements > 50, `${statements} declarations write by SQL`)
  t.strictSame(silent, [], 'a comment above it begins a sentence with `SQL: `')
})
