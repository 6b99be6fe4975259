// Which files differ from what a change began with, as git knows it.
import { execFileSync } from 'node:child_process'
import { ROOT } from '../command.mjs'

const git = (...args) =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()

/** @returns where this branch left main; on main itself, the commit before */
function findBase() {
  const head = git('rev-parse', 'HEAD')
  for (const main of ['origin/main', 'main']) {
    try {
      const base = git('merge-base', main, 'HEAD')
      if (base !== head) return base
    } catch {
      // There is no such branch, or a shallow clone lacks the commit where they part.
    }
  }
  return git('rev-parse', 'HEAD^')
}

/** @returns paths below the repository's root, or undefined where the history does not tell */
export function listChangedFiles() {
  try {
    return git('diff', '--name-only', findBase()).split('\n').filter(Boolean)
  } catch {
    return undefined
  }
}
