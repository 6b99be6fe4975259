import { readExpectedAnswers, readFixtureMessages, toFixtureMessages } from '@payment-tracking/testkit'
import t from 'tap'
import { holdFixtures } from './hold-fixtures.js'
import { shuffle } from './ingest-messages.js'

const { countByName, rejected } = await readExpectedAnswers()

holdFixtures(t, {
  messages: toFixtureMessages(await readFixtureMessages()),
  countByName,
  shuffle,
  batchSizes: [7, 1_000],
  check: async (t, countsOf) => {
    t.same(await countsOf(`select 'refused' as key, count(*) from dead_letters`), { refused: rejected })
  },
})
