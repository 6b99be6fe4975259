// The files of the repository, for tests that read them.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

export const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

export const isThere = (...parts: string[]): boolean => existsSync(join(ROOT, ...parts))

/** Lines of what git says. */
export const git = (...args: string[]): string[] =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')

/** What is tracked, or new and not ignored. */
export const files = git('ls-files', '--cached', '--others', '--exclude-standard').filter(file =>
  isThere(file),
)

/** Asserts that a document says what the code says. UPDATE_DOCUMENTS=1 writes the document. */
export function holdDocument(t: Test, file: string, text: string): void {
  if (process.env.UPDATE_DOCUMENTS === '1') writeFileSync(join(ROOT, file), text)
  t.equal(read(file), text, `UPDATE_DOCUMENTS=1 writes ${file}`)
}
