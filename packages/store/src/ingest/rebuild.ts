import { readMessage, type ChainEvent } from '@payment-tracking/domain'
import type { Store } from '../database/open-store.js'
import { sql, type Tx } from '../database/sql.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { StoreContentsError } from '../errors.js'
import { lockHead } from './head.js'
import { project, readKnown } from './project.js'

const PAGE = 1_000
/** A rebuild of millions of events is one transaction; this is its upper bound. */
const TIMEOUT_MS = 6 * 60 * 60 * 1000

interface StoredRow {
  id: string
  position: bigint
  slot: bigint
  signature: string
  event_index: bigint
  name: string
  data: string
  occurred_at: Date
}

/**
 * Computes every projection and aggregate anew from `events` alone. One transaction under the writer lock:
 * readers see the old rows until the new ones are complete, ingest waits.
 * @param programId the program whose addresses are derived
 * @param onProgress told after each page how many events are done
 * @returns the number of events replayed
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

/** Deletes rather than truncates: a truncate would lock readers out until the end. */
function clear(tx: PipelinedTx): void {
  tx.send(sql`delete from policies`)
  tx.send(sql`delete from user_payments`)
  tx.send(sql`delete from gateways`)
  tx.send(sql`delete from event_counts`)
  tx.send(sql`delete from payment_stats`)
  tx.send(sql`delete from payment_token_stats`)
}

const readPage = (tx: Tx, after: bigint): Promise<StoredRow[]> => tx.$queryRaw<StoredRow[]>`
  select id, position, slot, signature, event_index, name, data::text as data, occurred_at
    from events where position > ${after} order by position limit ${PAGE}`

/** The stored event as ingest read it; id and order are the row's own, for the message had no index perhaps. */
function readStored(row: StoredRow, programId: string): ChainEvent {
  const message = `{"slot":${row.slot},"signature":${JSON.stringify(row.signature)},"index":${row.event_index},"event_name":${JSON.stringify(row.name)},"data":${row.data},"timestamp":"${row.occurred_at.toISOString()}"}`
  const read = readMessage(new TextEncoder().encode(message), { programId, requireProgramId: false })
  if (!read.ok) throw new StoreContentsError(`stored event ${row.id} cannot be read: ${read.refusal.reason}`)
  const order = read.event.order.slice(0, 32) + row.id.replaceAll('-', '')
  return { ...read.event, id: row.id, order }
}
