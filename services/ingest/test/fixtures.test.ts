import { readExpectedAnswers, readFixtureMessages, toFixtureMessages } from '@payment-tracking/testkit'
import t from 'tap'
import { holdFixtures } from './hold-fixtures.js'
import { shuffle } from './ingest-messages.js'

const { countByName } = await readExpectedAnswers()

holdFixtures(t, {
  messages: toFixtureMessages(await readFixtureMessages()),
  countByName,
  shuffle,
  batchSizes: [40, 1_000],
  check: async (t, countsOf) => {
    const refused = {
      NOT_JSON: 2,
      NOT_AN_EVENT: 3,
      BAD_SLOT: 3,
      BAD_SIGNATURE: 2,
      BAD_INDEX: 2,
      BAD_EVENT_NAME: 1,
      BAD_TIMESTAMP: 1,
      BAD_DATA: 12,
      FOREIGN_PROGRAM: 1,
    }
    const codes = 'select code as key, count(*) from dead_letters group by code'
    t.same(await countsOf(codes), refused, 'each for its own fault, and nothing contradicts')
  },
})
