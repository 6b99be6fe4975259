// Documents are read by people: what is added here is cut elsewhere.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MOST_WORDS = 12_000
/** A table of packages, and a text that came with the fixtures. */
const UNCOUNTED = ['docs/dependencies.md', 'test/fixtures/2/README.md']
/** The README of a room stands beside its code: one screen. */
const ROOM = /^packages\/store\/src\//
const MOST_WORDS_OF_ROOM = 250
/** Tables that a script or a test writes. */
const GENERATED = /<!-- table: begin -->.*?<!-- table: end -->/gs

const listFiles = (...patterns: string[]) =>
  execFileSync('git', ['ls-files', ...patterns], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n')

const countWords = (file: string): number =>
  readFileSync(join(ROOT, file), 'utf8')
    .replace(GENERATED, '')
    .split(/\s+/)
    .filter(word => /[\p{L}\p{N}]/u.test(word)).length

t.test('the README of a room of the store is one screen', async t => {
  const rooms = listFiles('*/README.md').filter(file => ROOM.test(file))
  t.ok(rooms.length > 5, 'the rooms were found')
  for (const room of rooms) t.ok(countWords(room) <= MOST_WORDS_OF_ROOM, `${room}: ${countWords(room)} words`)
})

t.test(`docs and READMEs have at most ${MOST_WORDS} words`, async t => {
  const files = listFiles('docs/*.md', 'README.md', '*/README.md').filter(
    file => !UNCOUNTED.includes(file) && !ROOM.test(file),
  )
  t.ok(files.length > 30, 'the documents were found')
  const counts = files.map(file => ({ file, words: countWords(file) }))
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
