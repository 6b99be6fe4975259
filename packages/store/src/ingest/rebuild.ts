import { sql, type Tx } from '../database/sql.js'
import type { Store } from '../database/open-store.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { lockHead } from './head.js'
import { project, readKnown } from './project.js'
import { readStored, STORED_COLUMNS, type StoredRow } from './stored-events.js'

const PAGE = 1_000
/** The upper bound of a rebuild, which is one transaction even for millions of events. */
const TIMEOUT_MS = 6 * 60 * 60 * 1000

/**
 * Computes every projection and aggregate again from `events` alone. One transaction under the writer lock: readers see
 * the old rows until the new rows are complete, and ingest waits.
 * @param programId the program for deriving addresses
 * @param onProgress called after each page with the number of replayed events
 * @returns the number of replayed events
 */
export async function rebuildProjections(
  { database }: Store,
  programId: string,
  onProgress: (events: number) => void = () => {},
): Promise<number> {
  return await database.pipelinedTransaction(async tx => {
    await lockHead(tx)
    clear(tx)
    let done = 0
    for (let before = 0n; ;) {
      const rows = await readPage(tx, before)
      const upTo = rows.at(-1)?.position
      if (upTo === undefined) break
      const events = rows.map(row => readStored(row, programId))
      await project(tx, events, await readKnown(tx, events), { before, upTo })
      before = upTo
      onProgress((done += rows.length))
    }
    return done
  }, TIMEOUT_MS)
}

/** Deletes instead of truncating: a truncate would lock readers out until the end. */
function clear(tx: PipelinedTx): void {
  tx.send(sql`delete from policies`)
  tx.send(sql`delete from user_payments`)
  tx.send(sql`delete from gateways`)
  tx.send(sql`delete from event_counts`)
  tx.send(sql`delete from payment_stats`)
  tx.send(sql`delete from payment_token_stats`)
}

/** Omits retracted events, which count nowhere. */
const readPage = (tx: Tx, after: bigint): Promise<StoredRow[]> => tx.$queryRaw<StoredRow[]>`
  select ${STORED_COLUMNS} from events e
   where e.position > ${after} and e.retracted_at is null order by e.position limit ${PAGE}`
