import type { RunStatement } from '../database/database.js'
import { sql, type Sql } from '../database/sql.js'
import { StoreContentsError } from '../errors.js'
import type { EventKey } from './cursor.js'
import type { RecordText } from './record-text.js'

/** A page of a list as the API answers it. */
export interface RecordPage {
  /** the records as JSON, with commas between them */
  text: string
  count: number
  /**
   * Differs whenever `text` of the same list differs. The positions of events determine what never changes of them, so
   * only the rest is hashed.
   */
  tag: string
  /** the place of the last record; undefined on an empty page */
  last: EventKey | undefined
}

interface PageRow {
  text: string | null
  count: number
  written: number
  tag: string
  occurredAt: Date | null
  slot: number | null
  index: number | null
  id: string | null
}

/**
 * Reads a page as one text, so that this process neither parses nor writes its rows.
 * @param rows the rows of `events` of the page, in their order, with all columns
 */
export async function readRecordPage(ask: RunStatement, record: RecordText, rows: Sql): Promise<RecordPage> {
  const [page] = await ask<PageRow>(sql`
    select string_agg(unchanging || changing, ',') as text, count(*)::float8 as count,
           least(count(unchanging), count(changing))::float8 as written,
           concat_ws('-', count(*), max(position), bit_xor(hashtextextended(changing, position))) as tag,
           (array_agg(occurred_at))[count(*)] as "occurredAt", (array_agg(slot))[count(*)]::float8 as slot,
           (array_agg(event_index))[count(*)]::float8 as index, (array_agg(id))[count(*)] as id
      from (
        select ${record.unchanging} as unchanging, ${record.changing} as changing, e.position, e.occurred_at, e.slot,
               e.event_index, e.id
          from (${rows}) e
        offset 0
      ) page`)
  const { text, count, written, tag, occurredAt, slot, index, id } = page!
  if (written !== count) throw new StoreContentsError('a stored event lacks what its record must hold')
  return {
    ...{ text: text ?? '', count, tag },
    last: id === null ? undefined : { occurredAt: occurredAt!, slot: slot!, index: index!, id },
  }
}
