// A store that explains its statements: Postgres is asked how many rows each one reads. Then the statement runs.
import type { Store } from '../../src/core/database/open-store.js'
import type { PipelinedTx } from '../../src/core/database/pipelined-transactions.js'
import { toStatement, type Sql, type Tx } from '../../src/core/database/sql.js'
import { explainIn, withStatements, type Explained } from './explain.js'

/** How many times as much stands behind each key: the night asks for more, and the bounds stay. */
export const SIZE = Number(process.env.BOUNDED_SIZE ?? 1)

const LIMITS = { timeout: 120_000, maxWait: 60_000 }

/**
 * @param note is called with each explanation
 * @param isWanted decides whether a statement is explained. The code that sends the statement calls it. So it can make an error and
 *   read from the error's stack which code that is
 */
export function explainedStore(
  opened: Store,
  note: (explained: Explained) => void,
  isWanted: (statement: Sql) => boolean = () => true,
): Store {
  const { database: pools } = opened
  /** Runs `work`, until all that it sent has run. Nothing is sent ahead: the statement before is explained first. */
  async function inTurn<T>(tx: Tx | PipelinedTx, work: (tx: PipelinedTx) => Promise<T>): Promise<T> {
    let last: Promise<unknown> = Promise.resolve()
    const next = <R>(run: () => Promise<R>): Promise<R> => {
      const turn = last.then(run)
      last = turn.catch(() => {})
      return turn
    }
    const explained = <R>(
      query: Parameters<Tx['$queryRaw']>[0],
      values: unknown[],
      run: (statement: Sql) => Promise<R>,
    ): Promise<R> => {
      const statement = toStatement(query, values)
      // A savepoint has no plan.
      const isAsked = isWanted(statement) && !/^(?:rollback to )?savepoint /.test(statement.text)
      return next(async () => {
        if (isAsked) note(await explainIn(tx, statement))
        return run(statement)
      })
    }
    const byModel: PipelinedTx['withModels'] = async use =>
      'withModels' in tx ? tx.withModels(use) : use(tx as never)
    const result = await work({
      $queryRaw: (query, ...values) => explained(query, values, statement => tx.$queryRaw(statement)),
      $executeRaw: (query, ...values) => explained(query, values, statement => tx.$executeRaw(statement)),
      send: statement => void explained(statement, [], each => tx.$executeRaw(each)),
      together: send => send(),
      sendModel: write => void next(() => byModel(write)),
      withModels: use => next(() => byModel(use)),
    })
    await last
    return result
  }
  const alone =
    <R>(run: (statement: Sql) => Promise<R>) =>
    async (statement: Sql): Promise<R> => {
      if (isWanted(statement))
        await pools.transaction(async tx => note(await explainIn(tx, statement)), LIMITS)
      return run(statement)
    }
  return {
    ...opened,
    database: {
      ...pools,
      read: alone(pools.read) as typeof pools.read,
      write: alone(pools.write) as typeof pools.write,
      lookUp: alone(pools.lookUp) as typeof pools.lookUp,
      writePrepared: alone(pools.writePrepared) as typeof pools.writePrepared,
      execute: alone(statement => pools.execute(statement)),
      transaction: work =>
        pools.transaction(tx => inTurn(tx, statements => work(withStatements(tx, statements))), LIMITS),
      pipelinedTransaction: (work, timeoutMs) =>
        pools.pipelinedTransaction(tx => inTurn(tx, work), timeoutMs),
    },
  }
}
