import type { RunRead } from '../../core/database/database.js'
import { sql, type Sql, type Statement } from '../../core/database/sql.js'
import { StoreContentsError } from '../../core/errors.js'
import type { EventKey } from '../cursors.js'
import type { RecordText } from './record-text.js'

/** A page of a list as the API answers it. */
export interface RecordPage {
  /** the records as JSON, with commas between them */
  text: string
  count: number
  /**
   * Differs whenever `text` of the same list differs. In one epoch, the positions of events determine what never changes of
   * them, so only the rest is hashed.
   */
  tag: string
  /** the key of the last record; undefined on an empty page */
  last: EventKey | undefined
}

type PageRow = Omit<RecordPage, 'text' | 'last'> & { text: string | null; written: number } & (
    | EventKey
    | { id: null }
  )

/** Lists filter in many ways; the texts of the first that are asked for are kept. */
const MOST_TEXTS = 200

/** The whole statements' texts, by the text of their rows. */
const made = new WeakMap<RecordText, Map<string, string>>()

/**
 * The statement of a page. Its text is long, so that to make and to hash it for each request took a tenth of the CPU of a
 * look-up.
 */
function pageStatement(record: RecordText, rows: Sql): Statement {
  const { unchanging, changing } = record
  const values = [...unchanging.values, ...changing.values, ...rows.values]
  const texts = made.get(record) ?? new Map<string, string>()
  made.set(record, texts)
  const ofRows = rows.text
  const known = texts.get(ofRows)
  if (known !== undefined) return { text: known, values }
  const { text } = writeStatement(record, rows)
  if (texts.size < MOST_TEXTS) texts.set(ofRows, text)
  return { text, values }
}

const writeStatement = ({ unchanging, changing }: RecordText, rows: Sql): Sql => sql`
    select string_agg(unchanging || changing, ',') as text, count(*)::float8 as count,
           least(count(unchanging), count(changing))::float8 as written,
           concat_ws('-', (select epoch from stream_head), count(*), max(position), bit_xor(hashtextextended(changing, position))) as tag,
           (array_agg(occurred_at))[count(*)] as "occurredAt", (array_agg(slot))[count(*)]::float8 as slot,
           (array_agg(event_index))[count(*)]::float8 as index, (array_agg(id))[count(*)] as id
      from (
        select ${unchanging} as unchanging, ${changing} as changing, e.position, e.occurred_at, e.slot, e.event_index, e.id
          from (${rows}) e
        offset 0
      ) page`

/**
 * Reads a page as one text, so that this process neither parses nor writes its rows.
 * @param rows the rows of `events` of the page, in their order, with all columns
 */
export async function readRecordPage(ask: RunRead, record: RecordText, rows: Sql): Promise<RecordPage> {
  const [page] = await ask<PageRow>(pageStatement(record, rows))
  const { text, count, written, tag, ...last } = page!
  if (written !== count) throw new StoreContentsError('a stored event lacks what its record must hold')
  return { text: text ?? '', count, tag, last: last.id === null ? undefined : last }
}
