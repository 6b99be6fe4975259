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

t.test('the guide fits a terminal of 100 columns, with every process', async t => {
  const quiet = { allowsPrivateTargets: true, followsChain: false }
  for (const options of [quiet, { ...quiet, followsChain: true, demoKeyFile: '/srv/data/demo-key.json' }]) {
    const lines = renderGuide(stack, options).split('\n')
    t.same(
      lines.filter(line => line.length > 100),
      [],
    )
    for (const name of names)
      t.ok(
        lines.some(line => line.includes(`${name} 127.0.0.1:`)),
        name,
      )
  }
  t.match(
    renderGuide(stack, { ...quiet, demoKeyFile: '/srv/data/demo-key.json' }),
    /made-up market is playing/,
  )
  t.notMatch(renderGuide(stack, quiet), /made-up market is playing|export/)
  const elsewhere = renderGuide(stack, {
    ...quiet,
    demoKeyFile: '/srv/data/demo-key.json',
    dataDir: '/srv/data',
  })
  const signIn = /\n {2}export DATA_DIR="\/srv\/data"\n {2}npm run --silent sign-in/
  t.match(elsewhere, signIn, 'commands find a stack of another data directory')
})
