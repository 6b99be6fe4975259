// Documents are read by people: what is added here is cut elsewhere.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MOST_WORDS = 18_000
/** A table of packages, and a text that came with the fixtures. */
const UNCOUNTED = ['docs/dependencies.md', 'test/fixtures/2/README.md']
/** Tables that a script or a test writes. */
const GENERATED = /<!-- table: begin -->.*?<!-- table: end -->/gs

t.test(`docs and READMEs have at most ${MOST_WORDS} words`, async t => {
  const files = execFileSync('git', ['ls-files', 'docs/*.md', 'README.md', '*/README.md'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .filter(file => !UNCOUNTED.includes(file))
  t.ok(files.length > 30, 'the documents were found')
  const counts = files.map(file => {
    const text = readFileSync(join(ROOT, file), 'utf8').replace(GENERATED, '')
    return { file, words: text.split(/\s+/).filter(word => /[\p{L}\p{N}]/u.test(word)).length }
  })
  const sum = counts.reduce((total, { words }) => total + words, 0)
  counts.sort((a, b) => b.words - a.words)
  t.ok(
    sum <= MOST_WORDS,
    `${sum} words; most in ${counts
      .slice(0, 5)
      .map(({ file, words }) => `${file} (${words})`)
      .join(', ')}`,
  )
})
