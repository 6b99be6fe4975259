// The client as others get it: packed, installed in an empty project outside of the repository, type-checked, built by
// Vite, and used by pages in a real browser.
// In one process with others: a stack and a browser.
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { listen, buildChain, openPublisher } from '@payment-tracking/testkit'
import t from 'tap'
import { openBrowser } from '../console/open-browser.js'
import { shareStack } from './share-stack.js'
import { ROOT } from '../repository.js'

const NATIVE_TSC = join(ROOT, 'node_modules/typescript-7/bin/tsc')
const BUDGET_BYTES = 25 * 1024

const project = mkdtempSync(join(tmpdir(), 'payment-tracking-client-'))
t.teardown(() => rmSync(project, { recursive: true }))
const run = (command: string, args: string[], cwd = project) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

cpSync(join(ROOT, 'docs/examples/vite-react'), project, { recursive: true })
// A copy is built and packed: other tests use the build itself meanwhile. It holds what an older build leaves.
const workspace = mkdtempSync(join(tmpdir(), 'payment-tracking-packed-'))
t.teardown(() => rmSync(workspace, { recursive: true }))
const client = join(workspace, 'packages/client')
for (const path of ['packages/client', 'packages/contracts/dist', 'package.json'])
  cpSync(join(ROOT, path), join(workspace, path), { recursive: true, verbatimSymlinks: true })
symlinkSync(join(ROOT, 'node_modules'), join(workspace, 'node_modules'))
writeFileSync(join(client, 'dist/stale.js'), '')
run('npm', ['run', 'build'], client)
const packed = run('npm', ['pack', '--json', '--pack-destination', project], client)
const [{ filename, files }] = JSON.parse(packed) as [{ filename: string; files: { path: string }[] }]
renameSync(join(project, filename), join(project, 'payment-tracking-client-0.1.0.tgz'))

t.test('the tarball holds what users need, and no more', async t => {
  const paths = files.map(({ path }) => path)
  for (const path of ['README.md', 'dist/index.js', 'dist/index.d.ts', 'dist/react.js', 'dist/react.d.ts'])
    t.ok(paths.includes(path), path)
  t.same(
    paths.filter(
      path =>
        !/^(package\.json|README\.md|dist\/[\w.-]+\.(js|d\.ts)|dist\/generated\/api-types\.d\.ts|dist\/script\/[\w-]+\.js)$/.test(
          path,
        ),
    ),
    [],
  )
  t.notOk(paths.includes('dist/stale.js'))
  const script = readFileSync(join(client, 'dist/script/payment-tracking.js'))
  const bytes = gzipSync(script).length
  t.comment(`the script build has ${bytes} bytes gzipped, Socket.IO included`)
  t.ok(bytes <= BUDGET_BYTES, `${bytes} bytes`)
})

t.test('it installs, type-checks and builds in an empty project', { timeout: 360_000 }, async t => {
  run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'])
  t.notOk(existsSync(join(project, 'node_modules/@payment-tracking/contracts')), 'nothing else of ours')
  writeFileSync(
    join(project, 'src/rest.ts'),
    `import { createApiClient, watchPayments } from '@payment-tracking/client'
const { data } = await createApiClient('http://127.0.0.1:3002').GET('/v1/events/count', { params: { query: {} } })
const count: number | bigint | undefined = data?.count
// @ts-expect-error an unknown field of the answer
void data?.nonsense
export const watch = () => watchPayments('x', { trackingId: 'x', onPayment: ({ amountString }: { amountString: string }) => amountString })
export { count }
`,
  )
  run('node_modules/.bin/tsc', [])
  // As Node resolves modules, too; by the native compiler, which takes a tenth of the CPU.
  run(process.execPath, [NATIVE_TSC, '--module', 'nodenext', '--moduleResolution', 'nodenext'])
  run('node_modules/.bin/vite', ['build', '--logLevel', 'error'])
  t.ok(existsSync(join(project, 'dist/index.html')))
})

t.test('a React page and a page with a script tag show a payment', { timeout: 240_000 }, async t => {
  const { baseUrl, natsUrl } = await shareStack(t)
  const publisher = await openPublisher({ NATS_URL: natsUrl })
  t.teardown(() => publisher.close())
  const id = 'packed'
  const chain = buildChain({ seed: id })
  const gateway = await chain.openGateway()
  const payer = await chain.openUserPayment()
  const policy = await chain.openPolicy(gateway, payer, { trackingId: `order-${id}`, amount: 7_000_000n })

  writeFileSync(
    join(project, 'dist/script.html'),
    `<!doctype html><title>Order</title><ol></ol>
<script src="payment-tracking.js"></script>
<script>
  PaymentTracking.watchPayments('${baseUrl}', {
    trackingId: 'order-${id}',
    since: 0,
    onPayment: payment => document.querySelector('ol').append(payment.amountString),
  })
</script>`,
  )
  cpSync(
    join(project, 'node_modules/@payment-tracking/client/dist/script/payment-tracking.js'),
    join(project, 'dist/payment-tracking.js'),
  )
  const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' }
  const server = createServer((request, response) => {
    const path = new URL(request.url!, 'http://x').pathname
    const file = join(project, 'dist', path === '/' ? 'index.html' : path)
    response.setHeader('content-type', types[extname(file)] ?? 'text/plain')
    response.end(existsSync(file) ? readFileSync(file) : '')
  })
  const site = `http://127.0.0.1:${await listen(t, server)}`

  const browser = await openBrowser(t)
  const [react, script] = await Promise.all([browser.newPage(), browser.newPage()])
  const query = new URLSearchParams({
    baseUrl,
    trackingId: `order-${id}`,
    recipient: policy.recipient,
    tokenMint: payer.tokenMint,
    amount: '7000000',
  })
  await react.goto(`${site}/?${query.toString()}`)
  await script.goto(`${site}/script.html`)
  await react.getByText('waiting for a payment').waitFor()
  const payments = [chain.pay(policy, 6_999_999n), chain.pay(policy)]
  for (const message of [gateway.created, payer.created, policy.created, ...payments])
    await publisher.publish(JSON.stringify(message))
  await react.getByText('paid: 7000000').waitFor()
  await react.locator('li').nth(1).waitFor()
  t.same(await react.locator('li').allInnerTexts(), ['6999999', '7000000'])
  await script.getByText('69999997000000').waitFor()
})
