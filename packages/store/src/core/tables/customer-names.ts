// How a gateway's own name of a customer is compared: by how it begins, whatever its case.
import { sql, type Sql } from '../database/sql.js'

export const LONGEST_NAME = 64

/** A name, or the beginning of one, as `sought` has it. Some signs become many: the rest of a text beyond the longest name is left out. */
export const soughtName = (text: string): string =>
  Array.from(text.normalize('NFKC').toLowerCase()).slice(0, LONGEST_NAME).join('')

/** What a gateway calls a wallet, or null: one probe of the primary key. */
export const nameOfCustomer = (gateway: string, wallet: Sql): Sql =>
  sql`(select n.name from customer_names n where n.gateway = ${gateway} and n.wallet = ${wallet})`
