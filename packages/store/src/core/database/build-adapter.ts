import { PrismaPg } from '@prisma/adapter-pg'
import {
  DriverAdapterError,
  type SqlDriverAdapterFactory,
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

const namedQueries = (queryable: SqlQueryable): SqlQueryable => ({
  provider: queryable.provider,
  adapterName: queryable.adapterName,
  queryRaw: query => named(queryable.queryRaw(query)),
  executeRaw: query => named(queryable.executeRaw(query)),
})

const namedTransaction = (tx: Transaction): Transaction => ({
  ...namedQueries(tx),
  options: tx.options,
  commit: () => tx.commit(),
  rollback: () => tx.rollback(),
  createSavepoint: name => tx.createSavepoint!(name),
  rollbackToSavepoint: name => tx.rollbackToSavepoint!(name),
  releaseSavepoint: name => tx.releaseSavepoint!(name),
})

/** Prisma's adapter for pg over a pool. */
export function buildAdapter(pool: pg.Pool): SqlDriverAdapterFactory {
  const factory = new PrismaPg(pool, { onConnectionError: () => {} })
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    async connect() {
      const adapter = await factory.connect()
      return {
        ...namedQueries(adapter),
        executeScript: script => adapter.executeScript(script),
        startTransaction: async level => namedTransaction(await named(adapter.startTransaction(level))),
        getConnectionInfo: () => adapter.getConnectionInfo(),
        dispose: () => adapter.dispose(),
      }
    },
  }
}
