// Which files differ from what a change began with, as git knows it.
import { execFileSync } from 'node:child_process'
import { ROOT } from '../command.mjs'

/**
 * A change begins where its branch left main; on main itself, with the commit before.
 * @returns paths below the repository's root, or undefined where the history does not tell
 */
export function listChangedFiles(cwd = ROOT) {
  const git = (...args) =>
    execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  const findBase = () => {
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
  try {
    return git('diff', '--name-only', findBase()).split('\n').filter(Boolean)
  } catch {
    return undefined
  }
}
