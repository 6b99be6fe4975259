// The steps of `npm run test:long`, in order. A step has:
// - `name`
// - `seconds`: how long it takes on a quiet machine with two cores. All steps together take at most 40 minutes.
// - `minutes`: its budget. The gate ends a step that takes longer, and the step fails.
// - either `files`: test files, whose assertions are counted
// - or `program`: a program of test/ with its arguments, which counts as one assertion
// - `env`: variables that the step gets besides those of the gate
import { listPropertyTests, listTestFiles } from './test-files.mjs'

const FRESH_SEED = String(Date.now() % 2 ** 31)

const { long } = listTestFiles()
const below = folder => long.filter(file => file.startsWith(folder))

const NAMED = [
  {
    name: 'upgrade',
    seconds: 60,
    minutes: 3,
    files: ['test/upgrade/upgrade.long.test.ts', 'test/e2e/fixtures.long.test.ts'],
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
  { name: 'clients of the incumbent', seconds: 60, minutes: 4, files: below('test/clients/') },
  {
    name: 'properties and fuzz with fresh seeds',
    seconds: 25,
    minutes: 2,
    files: listPropertyTests(),
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
    files: below('test/models/'),
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
  { name: 'self-test of chaos', seconds: 240, minutes: 7, program: ['test/chaos/self-test.ts'] },
  {
    // A fifth of the sizes: what follows in pages takes as long as there are rows. Times are shown:
    // `npm test -- test/bounds/bounds.long.test.ts` judges them, on a quiet machine.
    name: 'bounds',
    seconds: 200,
    minutes: 6,
    files: ['test/bounds/bounds.long.test.ts'],
    env: { BOUNDS_SIZE: '0.2', BOUNDS_TIMES: 'shown' },
  },
  // Ratios of CPU with the committed table: `npm run bench -- --gate`.
  { name: 'speed', seconds: 110, minutes: 6, program: ['test/bench/gate/main.ts'] },
  { name: 'every bench', seconds: 100, minutes: 6, files: ['test/bench/bench.long.test.ts'] },
  // From nothing: packages of Debian and npm, an image of each service, then the compose file.
  { name: 'containers', seconds: 315, minutes: 9, program: ['test/containers/main.ts', '--core'] },
]

/** Every long file that no other step names. */
const others = long.filter(file => !NAMED.some(({ files }) => files?.includes(file)))

export const STEPS = [{ name: 'whole systems', seconds: 150, minutes: 6, files: others }, ...NAMED]
