// Of a rebuild: the figures of all events are counted again, into rows of a new version, while ingest goes on with the version that
// is read. Each page adds the next events in the order of their positions. The last one makes the new version the one that is read;
// retention removes the rows of the old one.
import { sql } from '../../core/database/sql.js'
import type { WorkKind } from '../../core/tasks/under-writer-lock.js'
import { continueAt } from '../../core/tasks/work-table.js'
import { addNew, figuresOfStored, type StoredEvent } from './figures.js'

/** A rebuild that begins while another one counts begins a version of its own. Relies on events_position_key. */
export const FIGURES: WorkKind<object> = {
  page: async (tx, [work], { head, rows }) => {
    const { figuresVersion, countingVersion, countedPosition } = head
    const goesOn = countingVersion !== null && work!.cursor !== ''
    const version = goesOn ? countingVersion : (countingVersion ?? figuresVersion) + 1
    const events = await tx.$queryRaw<(StoredEvent & { isValid: boolean })[]>(sql`
      select e.position, e.name, e.gateway, e.amount::text as amount, e.token_mint as "tokenMint",
             e.occurred_at as "occurredAt", e.retracted_at is null as "isValid"
        from events e where e.position > ${goesOn ? countedPosition : 0n} order by e.position limit ${rows}`)
    addNew(tx, version, figuresOfStored(events.filter(({ isValid }) => isValid)))
    const position = events.at(-1)?.position ?? head.position
    const isLast = position === head.position
    const data = isLast
      ? { figuresVersion: version, countingVersion: null }
      : { countingVersion: version, countedPosition: position }
    tx.sendModel(client => client.streamHead.updateMany({ where: { id: 1 }, data }))
    return continueAt(work!, isLast ? null : 'counting')
  },
}
