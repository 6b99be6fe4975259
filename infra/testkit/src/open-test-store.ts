import { openStore } from '@payment-tracking/store/core'
import { createDatabase } from './create-database.js'
import type { TestContext } from './test-context.js'

/** A store over a new database, closed when the test ends. */
export async function openTestStore(
  t: TestContext,
  settings: Omit<Parameters<typeof openStore>[0], 'DATABASE_URL'> = {},
) {
  const database = await createDatabase(t)
  const store = openStore({ DATABASE_URL: database.url, poolSize: 4, ...settings })
  t.teardown(() => store.close())
  return { store, database, ...database }
}
