// `npm run client`: the typed client as a tarball, for a project of one's own.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, run, runCommand, withProgress } from './command.mjs'
import { setUpClient } from './set-up.mjs'

const USAGE = `usage: npm run client
  Makes the tarball of the typed client in dist/client, and prints how to install it elsewhere.
  Installs the packages that make it first, unless they are there.`

await runCommand({ usage: USAGE }, async () => {
  await setUpClient()
  const folder = join(ROOT, 'dist/client')
  mkdirSync(folder, { recursive: true })
  const args = ['pack', '--json', '--workspace', 'packages/client', '--pack-destination', folder]
  const printed = await withProgress('packing', () => run('npm', args))
  const [{ filename }] = JSON.parse(printed)
  console.log(`
In the folder of your project:
  npm install ${join(folder, filename)}
  npm install --save-dev tsx typescript`)
})
