// What a user without a node sees: how to follow a chain, and a demo that brings a chain along.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { startStack } from '@payment-tracking/testkit'
import t from 'tap'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

t.setTimeout(240_000)

t.test('without nodes npm start says how to follow the chain, and the demo brings a chain along', async t => {
  const stack = await startStack(t, {})
  t.match(stack.output(), /SOLANA_RPC_URLS=\S+ npm start/)
  const child = spawn(process.execPath, ['scripts/demo.mjs', '--chain', '--count', '4', '--pace', '50'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, DATA_DIR: stack.dataDir },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  const code = await new Promise<number | null>(resolve => child.once('close', resolve))
  t.equal(code, 0, output)
  t.match(output, '4 payments came all the way')
})
