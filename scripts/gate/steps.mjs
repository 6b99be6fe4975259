// What each command runs, as steps. A step has:
// - `name`
// - either `files`: test files, whose assertions are counted
// - or `script`: a script of package.json, run with `args`, which counts as one assertion
// - `env`: variables that it gets besides those of the run; SEED decides all that is drawn, TEST_NODE the version of Node
// - `flags`: command-line options of Node, for the files of the step
// - `minutes`: after which a file or script counts as hanging and is ended (15); several times what it takes
// - `inTurn`: the files of the step judge times, so they run one after the other
// - `atNight`: it tests tests, or looks for the unknown. `npm run test:systems` runs it by its name alone.
import { listPropertyTests, listTestFiles } from './test-files.mjs'

const { short, long, night } = listTestFiles()
const below = (files, folder) => files.filter(file => file.startsWith(folder))

const LAWS = ['packages/store/test/laws/laws.night.test.ts']
const REPLAYS = below(long, 'test/models/')
/** What statements read behind long histories. The night's histories are ten times as long, and the bounds the same. */
const BOUNDED = long.filter(file => /\/bounded-|\/bounds\.long/.test(file))
/** The replays again, with breaks of the code that each must notice. */
const PLANTED = { name: 'planted', files: REPLAYS, env: { PLANT_BREAKS: '1' }, minutes: 30 }
const MUTANTS = { name: 'models', files: below(night, 'test/models/'), minutes: 60 }

const SELF_TEST = { name: 'self-test', script: 'chaos:self-test', args: [], minutes: 120 }

const own = process.env.SEED
/** @returns the steps, each with a seed: that of the environment, its own, or this one */
const seeded = (seed, steps) =>
  steps.map(step => ({ ...step, env: { SEED: seed, ...step.env, ...(own && { SEED: own }) } }))

/**
 * Prisma's engine is WebAssembly. V8's optimizing compiler costs 0.6 s of CPU in each process, to check all functions 0.02 s, and what
 * collects young garbage early 0.03 s; the gate starts hundreds of processes that live for seconds. The night judges times, so its
 * steps run as in production.
 */
const FLAGS = ['--liftoff-only', '--wasm-lazy-validation', '--min-semi-space-size=16']
const inGate = steps => steps.map(step => ({ ...step, flags: FLAGS }))

/** `npm test`. */
export const SHORT = inGate(seeded('1', [{ name: 'short', files: short }]))

const NAMED_SYSTEMS = [
  // From nothing: packages of Debian and npm, an image of each service, then the compose file. It begins first.
  { name: 'containers', script: 'test:containers', args: ['--core'], minutes: 45 },
  { ...SELF_TEST, atNight: true },
  { ...MUTANTS, atNight: true },
  { ...PLANTED, atNight: true },
  {
    name: 'browsers',
    files: [
      'test/e2e/guides.long.test.ts',
      'test/e2e/console-sizes.long.test.ts',
      'test/e2e/console.long.test.ts',
      'test/e2e/readme.long.test.ts',
      'test/e2e/client-package.long.test.ts',
      'test/e2e/dev-kit.long.test.ts',
      'test/release/release.long.test.ts',
      'test/e2e/ops-dashboard.long.test.ts',
      'test/e2e/expected-order.long.test.ts',
    ],
  },
  { name: 'replays', files: REPLAYS },
  {
    name: 'chaos',
    files: ['test/chaos/chaos.long.test.ts'],
    // Of the runs of 12 s, one with most kinds of faults: as many as one of 20 s mostly has.
    env: { SEED: '6' },
  },
  { name: 'upgrade', files: ['test/upgrade/upgrade.long.test.ts', 'test/e2e/fixtures.long.test.ts'] },
  { name: 'incumbent', files: below(long, 'test/clients/') },
]

/** Every long file that no other step names. */
const others = long.filter(file => !NAMED_SYSTEMS.some(({ files }) => files?.includes(file)))

/** `npm run test:systems`: all side by side, those that take longest first; without names those alone that are not `atNight`. */
export const SYSTEMS = inGate(seeded('1', [...NAMED_SYSTEMS, { name: 'systems', files: others }]))

/** Promises in seconds, of files that only the night runs: a busy machine says nothing of them. */
const judged = files => files.filter(file => !/^test\/(bench|chaos|models|servers)\/|laws/.test(file))

/** `npm test` by the later versions of Node: images run 24. */
const OTHER_NODES = ['22', '24'].map(version => ({
  name: `node-${version}`,
  files: short,
  env: { TEST_NODE: version },
}))

const fresh = own ?? String(Date.now() % 2 ** 31)
/** `npm run test:night`: one step after the other, for some of them judge times. */
export const NIGHT = seeded(fresh, [
  { name: 'speed', script: 'bench', args: ['--gate'], minutes: 30 },
  { name: 'bounds', files: BOUNDED, env: { BOUNDED_SIZE: '10' }, inTurn: true, minutes: 60 },
  { name: 'benches', files: below(night, 'test/bench/'), inTurn: true, minutes: 30 },
  { name: 'times', files: judged(night), env: { JUDGE_TIMES: '1' }, inTurn: true, minutes: 30 },
  {
    name: 'properties',
    files: listPropertyTests(),
    env: { FUZZ_REQUESTS: '100000', HOSTILE_POLICIES: '1000' },
    minutes: 60,
  },
  ...OTHER_NODES,
  { name: 'laws', files: LAWS, env: { LAWS_RUNS: '20000', LAWS_SECONDS: '1800' }, minutes: 90 },
  { ...PLANTED, name: 'replays', env: { ...PLANTED.env, TRACES_TIMES: '15' } },
  MUTANTS,
  {
    name: 'chaos',
    files: [
      'test/chaos/chaos.night.test.ts',
      'services/realtime/test/seats.long.test.ts',
      'services/indexer/test/faults.long.test.ts',
      'services/indexer/test/kill.long.test.ts',
      'test/e2e/chain.long.test.ts',
      'test/e2e/chain-finalized.long.test.ts',
      'test/e2e/fixtures.long.test.ts',
    ],
    env: { CHAOS: 'long' },
    minutes: 60,
  },
  SELF_TEST,
  {
    name: 'clusters',
    files: below(night, 'test/servers/'),
    minutes: 60,
  },
  { name: 'containers', script: 'test:containers', args: [], env: { JUDGE_TIMES: '1' }, minutes: 60 },
  { name: 'soak', script: 'soak', args: ['--seed', fresh], minutes: 120 },
])
