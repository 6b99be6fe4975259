import t from 'tap'
import { ConfigError, readTunables } from '../src/index.js'

const CONSTANTS = { sweepEveryMs: 5_000, batchSize: 2_000 }

t.test('without arguments the constants hold, with some the named ones change', async t => {
  t.same(readTunables(CONSTANTS, []), CONSTANTS)
  const tuned = readTunables(CONSTANTS, ['--tune', 'sweepEveryMs=200', '--tune=batchSize=1'])
  t.same(tuned, { sweepEveryMs: 200, batchSize: 1 })
  t.same(CONSTANTS, { sweepEveryMs: 5_000, batchSize: 2_000 }, 'the constants themselves stay')
})

t.test('an argument that is no constant of the service is refused, all at once', async t => {
  try {
    readTunables(CONSTANTS, [
      '--tune',
      'sweepEveryMs=',
      '--tune',
      'other=1',
      '--tune',
      'batchSize=-1',
      'stray',
      '--sweepEveryMs=200',
    ])
    t.fail('nothing was thrown')
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    t.equal(error.problems.length, 5)
  }
})
