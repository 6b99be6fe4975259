import t from 'tap'
import { tryOnce } from './try-once.js'

t.test('with INDEXER_COMMITMENT=confirmed', t => tryOnce(t, 'confirmed'))
