// What nobody uses goes away, and what is imported is declared: knip.json says where use begins.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { ROOT } from '../repository.js'

// A busy machine needs two minutes to read every file.
t.setTimeout(300_000)

t.test('no file, export or dependency is unused, and every import is a declared dependency', async t => {
  const args = ['node_modules/knip/bin/knip.js', '--no-progress', '--no-config-hints']
  const found = await promisify(execFile)(process.execPath, args, { cwd: ROOT }).then(
    () => '',
    (error: unknown) => (error as { stdout: string }).stdout,
  )
  t.equal(found, '', 'remove or declare what this lists')
})
