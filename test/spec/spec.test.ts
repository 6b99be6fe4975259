// Every sentence and table row of the specification, over one running service. What is told comes last: it adds payments.
import { allAreNamed } from './hold-root.js'
import './records.js'
import './queries.js'
import './readings.js'
import './channels.js'

allAreNamed()
