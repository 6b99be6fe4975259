import { sql } from '../database/sql.js'

export type Finality = 'confirmed' | 'finalized'

/** Finality is one number plus a mark on the event `e` itself. A retracted event is not final. */
export const FINALITY = sql`
  case when e.retracted_at is null
        and (e.commitment = 'finalized' or e.slot <= (select finalized_slot from stream_head))
       then 'finalized' else 'confirmed' end`
