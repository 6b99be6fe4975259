// Whatever a program says of a full disk, a command says it in one sentence.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const COMMAND = fileURLToPath(new URL('../../scripts/command.mjs', import.meta.url))
const INSTALL = fileURLToPath(new URL('../../scripts/set-up/install.mjs', import.meta.url))

t.test('a full disk is one sentence with the cure', async t => {
  const say = (message: string) => {
    const program = `
      const { runCommand } = await import(${JSON.stringify(COMMAND)})
      await runCommand({ usage: '' }, async () => { throw new Error(${JSON.stringify(message)}) })`
    return spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
      .stderr
  }
  for (const message of ['ENOSPC: no space left on device, write', 'initdb: …\nNo space left on device\n…'])
    t.match(say(message), /^The disk is full: [^\n]+\n$/)
  t.equal(say('anything else'), 'anything else\n')
})

t.test('npm ends well on a full disk: the next start installs anew', async t => {
  const root = t.testdir({
    node_modules: { '.package-lock.json': '{}' },
    // As npm warns, which ends with 0 then.
    npm: t.fixture(
      'file',
      '#!/bin/sh\necho "npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device" >&2\n',
    ),
  })
  chmodSync(join(root, 'npm'), 0o755)
  const program = `
    const { install } = await import(${JSON.stringify(INSTALL)})
    await install(${JSON.stringify(root)}, ['ci']).catch(error => console.error(error.message))`
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    env: { ...process.env, PATH: `${root}:${process.env.PATH}` },
  })
  t.match(stderr, 'ENOSPC')
  t.notOk(existsSync(join(root, 'node_modules/.package-lock.json')), 'nothing passes for installed')
})
