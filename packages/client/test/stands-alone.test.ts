import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const DIST = fileURLToPath(new URL('../dist/', import.meta.url))

t.test('what is packed imports nothing of ours', async t => {
  const files = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter(name =>
    /\.(js|d\.ts)$/.test(name),
  )
  for (const name of ['index.js', 'index.d.ts', 'react.js', 'react.d.ts', 'socket-messages.d.ts'])
    t.ok(files.includes(name), name)
  for (const name of files) t.notMatch(readFileSync(DIST + name, 'utf8'), /@payment-tracking\//, name)
})
