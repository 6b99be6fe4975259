import { openStore, type Store } from '@payment-tracking/store'
import { createDatabase, type TestContext, type TestDatabase } from '@payment-tracking/testkit'

/** A store over a new database, closed when the test ends. */
export async function openTestStore(t: TestContext): Promise<{ store: Store; database: TestDatabase }> {
  const database = await createDatabase(t)
  const store = openStore({ DATABASE_URL: database.url, poolSize: 4 })
  t.teardown(() => store.close())
  return { store, database }
}
