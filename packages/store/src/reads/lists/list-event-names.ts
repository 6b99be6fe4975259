import { ALL_GATEWAYS } from '@payment-tracking/domain'
import { sql, type Sql, type Store } from '../../core/database/sql.js'
import { IN_USE } from '../../core/tables/head.js'

/** The names that are counted of a gateway, or of all. Relies on the primary key of event_counts. */
export const namesOf = (gateway: string): Sql => sql`
  select name from event_counts where ${IN_USE} and gateway = ${gateway} and span = 0 order by name`

/** Whether an event of this name was ever stored. */
export async function isEventNameKnown({ database }: Store, name: string): Promise<boolean> {
  const rows = await database.lookUp(sql`select from (${namesOf(ALL_GATEWAYS)}) k where name = ${name}`)
  return rows.length > 0
}

/** The names of all stored events, sorted as bytes. */
export async function listEventNames({ database }: Store): Promise<string[]> {
  const rows = await database.lookUp<{ name: string }>(namesOf(ALL_GATEWAYS))
  return rows.map(row => row.name)
}
