// `npm run client`: the typed client and the dev kit as tarballs, for a project of one's own.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, run, runCommand, withProgress } from './command.mjs'
import { setUpClient } from './set-up.mjs'

const USAGE = `usage: npm run client
  Makes the tarballs of the typed client and of the dev kit (the commands gateway, pay, listen …) in
  dist/client, and prints how to install them elsewhere.
  Installs the packages that make it first, unless they are there.`

const FOLDER = join(ROOT, 'dist/client')
const KIT = join(FOLDER, 'dev-kit')

/** @returns the tarball's path */
async function pack(...args) {
  const [{ filename }] = JSON.parse(
    await run('npm', ['pack', '--json', ...args, '--pack-destination', FOLDER]),
  )
  return join(FOLDER, filename)
}

/** The programs that can be bundled with the packages that are installed. */
async function packKit() {
  mkdirSync(KIT, { recursive: true })
  await run('node', ['infra/dev-kit/bundle.mjs', KIT])
  const { scripts: _, ...manifest } = JSON.parse(
    readFileSync(join(ROOT, 'infra/dev-kit/package.json'), 'utf8'),
  )
  const bin = Object.fromEntries(
    Object.entries(manifest.bin).filter(([, file]) => existsSync(join(KIT, file))),
  )
  writeFileSync(join(KIT, 'package.json'), JSON.stringify({ ...manifest, bin }))
  return pack(KIT)
}

await runCommand({ usage: USAGE }, async () => {
  await setUpClient()
  mkdirSync(FOLDER, { recursive: true })
  // The commands stand on packages that `npm start` installs.
  const hasCommands = existsSync(join(ROOT, 'node_modules/nats'))
  const [client, kit] = await withProgress('packing', async () => [
    await pack('--workspace', 'packages/client'),
    hasCommands ? await packKit() : undefined,
  ])
  console.log(`
In the folder of your project:
  npm install ${client}
  npm install --save-dev tsx typescript`)
  if (kit) console.log(`  npm install --save-dev ${kit}\n  export DATA_DIR="${join(ROOT, '.data')}"`)
  else console.log('The commands of the dev kit are packed too, once npm start has installed what they need.')
})
