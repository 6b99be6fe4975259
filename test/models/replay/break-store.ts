import type { Store } from '@payment-tracking/store'

/** A change to the text of the store's statements. */
export interface StatementBreak {
  name: string
  find: string
  replace: string
}

/** What `sql` makes: texts, and values between them. */
interface Statement {
  strings: string[]
  values: unknown[]
}
type Run = (statement: Statement) => Promise<unknown>
/** The store's door to Postgres, which its package does not show. */
type WithDatabase = Store & { database: { write: Run; writePrepared: Run } }

/** @returns a store whose statements are broken, and how often the text was found in them */
export function breakStore(
  store: Store,
  { find, replace }: StatementBreak,
): { store: Store; found: () => number } {
  let found = 0
  const broken = (statement: Statement): Statement => {
    const strings = statement.strings.map(text => {
      if (!text.includes(find)) return text
      found += 1
      return text.replace(find, replace)
    })
    const Sql = statement.constructor as new (strings: string[], values: unknown[]) => Statement
    return new Sql(strings, statement.values)
  }
  const { database } = store as WithDatabase
  const run = {
    ...database,
    write: (statement: Statement) => database.write(broken(statement)),
    writePrepared: (statement: Statement) => database.writePrepared(broken(statement)),
  }
  return { store: { ...store, database: run } as WithDatabase, found: () => found }
}
