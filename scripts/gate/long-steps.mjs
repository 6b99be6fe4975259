// The steps of `npm run test:long`, in order. A step has:
// - `name`
// - `seconds`: how long it takes on a quiet machine with two cores. All steps together take at most 40 minutes.
// - `minutes`: its budget. The gate ends a step that takes longer, and the step fails.
// - either `files`: test files, whose assertions are counted
// - or `command`: a program, which counts as one assertion
// - `env`: variables that the step gets besides those of the gate
import { ROOT } from '../set-up/run.mjs'
import { listPropertyTests } from './list-test-files.mjs'

const FRESH_SEED = String(Date.now() % 2 ** 31)

const node = (...args) => [process.execPath, '--import', 'tsx', ...args]

export const STEPS = [
  {
    name: 'upgrade',
    seconds: 60,
    minutes: 3,
    files: ['test/upgrade/upgrade.long.test.ts', 'test/e2e/fixtures.long.test.ts'],
  },
  {
    name: 'whole systems',
    seconds: 150,
    minutes: 6,
    files: [
      'test/degradation/degradation.long.test.ts',
      'services/webhook-worker/test/outage.long.test.ts',
      'test/regressions/ingest-waited-for-a-postgres-that-vanished.long.test.ts',
      'test/regressions/realtime-trusted-a-redis-that-evicts.long.test.ts',
      'infra/stack/test/launcher.long.test.ts',
      'infra/stack/test/servers.long.test.ts',
      'services/indexer/test/takeover.long.test.ts',
      'services/indexer/test/comparison.long.test.ts',
      'services/indexer/test/backfill.long.test.ts',
      'services/ingest/test/truth.long.test.ts',
      'services/webhook-worker/test/stop.long.test.ts',
      'test/e2e/lifecycle-once.long.test.ts',
      'test/e2e/webhooks.long.test.ts',
      'test/e2e/client.long.test.ts',
      'test/e2e/operator-commands.long.test.ts',
      'test/regressions/a-request-that-drips-stayed-open.long.test.ts',
      'test/observability/observability.long.test.ts',
      'test/e2e/loadbalancer.long.test.ts',
      'test/servers/unsupported-redis.long.test.ts',
      'test/regressions/a-client-that-never-read-ended-an-api-process.long.test.ts',
      'test/regressions/promoted-standby-was-taken-for-its-primary.long.test.ts',
      'test/e2e/two-environments.long.test.ts',
      'test/chaos/realtime.long.test.ts',
      'test/house/run-test-files.long.test.ts',
      'test/e2e/connections.long.test.ts',
    ],
  },
  {
    name: 'clusters',
    seconds: 300,
    minutes: 9,
    files: [
      'test/servers/redis-cluster.long.test.ts',
      'test/servers/nats-cluster.long.test.ts',
      'services/webhook-worker/test/fleet-caps.long.test.ts',
      'services/ingest/test/archive/swift.long.test.ts',
    ],
  },
  {
    name: 'browsers and guides',
    seconds: 160,
    minutes: 9,
    files: [
      'test/e2e/readme.long.test.ts',
      'test/e2e/console.long.test.ts',
      'test/e2e/console-sizes.long.test.ts',
      'test/e2e/console-away.long.test.ts',
      'test/e2e/client-package.long.test.ts',
      'test/e2e/dev-kit.long.test.ts',
      'test/release/release.long.test.ts',
      'test/e2e/guides.long.test.ts',
      'test/e2e/ops-dashboard.long.test.ts',
      'services/api/test/reference-page.long.test.ts',
    ],
  },
  {
    name: 'clients of the incumbent',
    seconds: 60,
    minutes: 4,
    files: ['test/clients/switch.long.test.ts', 'test/clients/one-try.long.test.ts'],
  },
  {
    name: 'properties and fuzz with fresh seeds',
    seconds: 25,
    minutes: 2,
    files: listPropertyTests(ROOT),
    env: { FUZZ_REQUESTS: '15000', SEED: FRESH_SEED },
  },
  {
    // As many of 10,000 histories as its time allows, others each time.
    name: 'laws at length',
    seconds: 150,
    minutes: 12,
    files: ['packages/store/test/laws/laws.long.test.ts'],
    env: { SEED: FRESH_SEED, LAWS_SECONDS: '120' },
  },
  {
    // Every state of the models within their bounds, and their mutants; traces of them on the real functions.
    name: 'models',
    seconds: 260,
    minutes: 12,
    files: [
      'test/models/models.long.test.ts',
      'test/models/replay.long.test.ts',
      'test/models/replay-ingest.long.test.ts',
      'test/models/replay-refold.long.test.ts',
      'test/models/replay-seats.long.test.ts',
      'test/models/replay-telling.long.test.ts',
    ],
    env: { MODELS_SEED: process.env.MODELS_SEED ?? FRESH_SEED },
  },
  {
    name: 'chaos with fresh seeds',
    seconds: 180,
    minutes: 5,
    files: [
      'test/chaos/chaos.long.test.ts',
      'services/indexer/test/faults.long.test.ts',
      'services/indexer/test/kill.long.test.ts',
      'test/e2e/chain.long.test.ts',
      'test/e2e/chain-finalized.long.test.ts',
    ],
  },
  { name: 'self-test of chaos', seconds: 240, minutes: 7, command: node('test/chaos/self-test.ts') },
  {
    // A fifth of the sizes of the bench `bounds`: what follows in pages takes as long as there are rows. Times are shown:
    // `npm test -- test/bounds/bounds.long.test.ts` judges them, on a quiet machine.
    name: 'bounds',
    seconds: 200,
    minutes: 6,
    files: ['test/bounds/bounds.long.test.ts'],
    env: { BOUNDS_SIZE: '0.2', BOUNDS_TIMES: 'shown' },
  },
  // Ratios of CPU with the committed table: `npm run bench -- --gate`.
  { name: 'speed', seconds: 110, minutes: 6, command: node('test/bench/gate/main.ts') },
  { name: 'every bench', seconds: 100, minutes: 6, files: ['test/bench/bench.long.test.ts'] },
  // From nothing: packages of Debian and npm, an image of each service, then the compose file.
  {
    name: 'containers',
    seconds: 315,
    minutes: 9,
    command: node('test/containers/main.ts', '--core'),
  },
]
