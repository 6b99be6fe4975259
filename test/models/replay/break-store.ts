import type { Store } from '@payment-tracking/store/core'

/** What `sql` makes: texts, and values between them. */
interface Statement {
  strings: string[]
  values: unknown[]
}
type Run = (statement: Statement) => Promise<unknown>
/** A statement, or a template with its values. */
type Asked = [Statement | TemplateStringsArray, ...unknown[]]
interface Tx {
  $queryRaw(...asked: Asked): Promise<unknown>
  $executeRaw(...asked: Asked): Promise<unknown>
  send?(statement: Statement): void
}
type Transaction = (work: (tx: Tx) => Promise<unknown>, ...more: unknown[]) => Promise<unknown>
/** The store's door to Postgres, which its package does not show. */
type WithDatabase = Store & {
  database: { write: Run; writePrepared: Run; transaction: Transaction; pipelinedTransaction: Transaction }
}

/** @returns a store whose statements are broken */
export function breakStore(store: Store, breakText: (text: string) => string): Store {
  const broken = (statement: Statement): Statement => {
    const strings = statement.strings.map(breakText)
    const Sql = statement.constructor as new (strings: string[], values: unknown[]) => Statement
    return new Sql(strings, statement.values)
  }
  const brokenAsked = ([query, ...values]: Asked): Asked => {
    if (!Array.isArray(query)) return [broken(query as Statement), ...values]
    const texts = query.map(breakText)
    return [Object.assign(texts, { raw: texts }), ...values]
  }
  const brokenTx = (tx: Tx): Tx =>
    new Proxy(tx, {
      get(target, name, self) {
        if (name === '$queryRaw' || name === '$executeRaw')
          return (...asked: Asked) => target[name](...brokenAsked(asked))
        if (name === 'send') return (statement: Statement) => target.send!(broken(statement))
        return Reflect.get(target, name, self) as unknown
      },
    })
  const { database } = store as WithDatabase
  const run = {
    ...database,
    write: (statement: Statement) => database.write(broken(statement)),
    writePrepared: (statement: Statement) => database.writePrepared(broken(statement)),
    transaction: ((work, ...more) => database.transaction(tx => work(brokenTx(tx)), ...more)) as Transaction,
    pipelinedTransaction: ((work, ...more) =>
      database.pipelinedTransaction(tx => work(brokenTx(tx)), ...more)) as Transaction,
  }
  return { ...store, database: run } as WithDatabase
}
