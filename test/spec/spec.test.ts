// Every sentence and table row of the specification, over one running service. What is told comes last: it adds payments.
import t from 'tap'
import { allAreNamed } from './hold-root.js'
import { checkRepeated } from './rows.js'
import './records.js'
import './queries.js'
import './readings.js'
import './channels.js'

t.test('what the specification says again is checked', async t => checkRepeated(t))
allAreNamed()
