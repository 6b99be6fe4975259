import t from 'tap'
import { renderGuide } from '../src/launcher/guide.js'
import type { StackFile } from '../src/launcher/stack-file.js'

const names = ['ingest', 'api', 'realtime-1', 'realtime-2', 'console', 'webhook-worker', 'ops', 'indexer']
const stack: StackFile = {
  launcher: null as unknown as StackFile['launcher'],
  baseUrl: 'http://127.0.0.1:33002',
  opsUrl: 'http://127.0.0.1:33004',
  opsToken: 'f'.repeat(48),
  environment: 'production',
  databaseUrl: '',
  redisUrl: '',
  natsUrl: '',
  services: names.map((name, index) => ({
    name,
    process: null,
    port: null,
    managementUrl: `http://127.0.0.1:4100${index}`,
  })),
}

const signInLink = `${stack.baseUrl}/console/sign-in#link=${'A'.repeat(43)}`
const demo = { keyFile: '/srv/data/demo-key.json', signInLink }

t.test('the guide fits a terminal of 100 columns, with every process', async t => {
  const quiet = { allowsPrivateTargets: true, followsChain: false }
  for (const options of [quiet, { ...quiet, followsChain: true, demo }]) {
    const lines = renderGuide(stack, options).split('\n')
    const wide = lines.filter(line => line.length > 100)
    t.same(wide, [])
    for (const name of names)
      t.ok(
        lines.some(line => line.includes(`${name} 127.0.0.1:`)),
        name,
      )
  }
  t.match(renderGuide(stack, { ...quiet, demo }), /made-up market is playing/)
  t.notMatch(renderGuide(stack, quiet), /made-up market is playing|export DATA_DIR/)
  t.match(renderGuide(stack, quiet), `\n  export BASE_URL=${stack.baseUrl}\n`)
  const elsewhere = renderGuide(stack, {
    ...quiet,
    demo,
    dataDir: '/srv/data',
  })
  t.ok(elsewhere.split('\n').includes(`  ${signInLink}`), 'the link stands on a line of its own')
  t.match(elsewhere, /to remove it, stop this and run: {2}rm -rf "\/srv\/data"/)
  const without = renderGuide(stack, { ...quiet, demo: { ...demo, signInLink: undefined } })
  t.notMatch(without, /#link=/)
  t.match(without, /sign-in -- --link --key/, 'the command stays when no link was made')
  const signIn = /\n {2}export DATA_DIR="\/srv\/data"\n {2}npm run --silent sign-in/
  t.match(elsewhere, signIn, 'commands find a stack of another data directory')
})
