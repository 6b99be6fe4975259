// Which tests of tests the gate runs is decided by what git knows.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const { listChangedFiles } = (await import(`${ROOT}scripts/gate/changed-files.mjs`)) as {
  listChangedFiles: (root: string) => string[] | undefined
}

t.test('what changed since main, or in the last commit of main; undefined without a history', async t => {
  const root = t.testdir({ repository: {} })
  const at = join(root, 'repository')
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: at })
  const commit = (name: string) => {
    writeFileSync(join(at, name), name)
    git('add', '.')
    git('commit', '-qm', name)
  }
  t.equal(listChangedFiles('/'), undefined, 'no repository')
  git('init', '-q', '-b', 'main')
  commit('first')
  t.equal(listChangedFiles(at), undefined, 'nothing came before')
  commit('second')
  t.same(listChangedFiles(at), ['second'])
  git('switch', '-qc', 'change')
  commit('third')
  commit('fourth')
  writeFileSync(join(at, 'first'), 'changed, not committed')
  t.same(listChangedFiles(at), ['first', 'fourth', 'third'])
  git('switch', '-qf', '--orphan', 'shallow')
  commit('fifth')
  t.equal(listChangedFiles(at), undefined, 'no commit in common')
})
