import { PrismaPg } from '@prisma/adapter-pg'
import {
  DriverAdapterError,
  type SqlDriverAdapterFactory,
  type SqlQuery,
  type SqlQueryable,
  type Transaction,
} from '@prisma/driver-adapter-utils'
import type pg from 'pg'
import { isConnectionError } from '../errors.js'

/** Passes the answer on, and gives a connection error the kind that Prisma recognises. */
const named = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    if (!isConnectionError(error)) throw error
    throw Object.assign(new DriverAdapterError({ kind: 'ConnectionClosed' }), { message: error.message })
  })

const namedQueries = (queryable: SqlQueryable, restore: Restore): SqlQueryable => {
  const restored = (query: SqlQuery): SqlQuery => ({ ...query, args: query.args.map(restore) })
  return {
    provider: queryable.provider,
    adapterName: queryable.adapterName,
    queryRaw: query => named(queryable.queryRaw(restored(query))),
    executeRaw: query => named(queryable.executeRaw(restored(query))),
  }
}

const namedTransaction = (tx: Transaction, restore: Restore): Transaction => ({
  ...namedQueries(tx, restore),
  options: tx.options,
  commit: () => tx.commit(),
  rollback: () => tx.rollback(),
  createSavepoint: name => tx.createSavepoint!(name),
  rollbackToSavepoint: name => tx.rollbackToSavepoint!(name),
  releaseSavepoint: name => tx.releaseSavepoint!(name),
})

/** Puts back what a parameter stands for. */
type Restore = (parameter: unknown) => unknown

/**
 * Prisma's adapter for pg over a pool. Transactions are pipelined when the pool's connections are.
 * @param restore applied to each parameter before it is sent; default: no parameter stands for another value
 */
export function buildAdapter(pool: pg.Pool, restore: Restore = value => value): SqlDriverAdapterFactory {
  const factory = new PrismaPg(pool, { onConnectionError: () => {} })
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    async connect() {
      const adapter = await factory.connect()
      return {
        ...namedQueries(adapter, restore),
        executeScript: script => adapter.executeScript(script),
        startTransaction: async level =>
          namedTransaction(await named(adapter.startTransaction(level)), restore),
        getConnectionInfo: () => adapter.getConnectionInfo(),
        dispose: () => adapter.dispose(),
      }
    },
  }
}
