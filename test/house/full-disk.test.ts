// Whatever a program says of a full disk, a command says it in one sentence.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const COMMAND = fileURLToPath(new URL('../../scripts/command.mjs', import.meta.url))

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
