// What waits for the end of a block is told at that end, and not before. The night tries blocks that are confirmed: the gate reads such
// a chain in chain.long.test.ts.
import t from 'tap'
import { tryOnce } from './try-once.js'

t.test('with INDEXER_COMMITMENT=finalized', t => tryOnce(t, 'finalized'))
