// A process that was paused in a request held rows for ten seconds for which ingest waits.
import t from 'tap'
import { inOneTransaction } from '../../../src/core/database/join-transactions.js'
import { sql } from '../../../src/core/database/sql.js'
import { openTestStore } from '../../open-test-store.js'

t.test('Postgres ends the transaction of a paused request after a second, and no other so soon', async t => {
  const { store } = await openTestStore(t)
  const readLimit = async () => {
    const [row] = await store.database.read<{ limit: string }>(
      sql`select current_setting('idle_in_transaction_session_timeout') as "limit"`,
    )
    return row!.limit
  }
  t.equal(await inOneTransaction(store, readLimit), '1s')
  t.equal(await readLimit(), '10s')
})
