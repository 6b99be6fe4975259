// Reads what the database holds after a history.
import { readEventPage } from '../../src/reads/lists/list-events.js'
import { type Store } from '../../src/core/database/open-store.js'
import type { Pool } from '@payment-tracking/testkit'
import { keyOfRow, type Row } from '@payment-tracking/testkit/oracle'
import { COLUMNS, TABLES, type Table } from './columns.js'
import type { FoundPayment } from './rows.js'

export interface Found {
  tables: Record<Table, Row[]>
  payments: FoundPayment[]
  keyOfId: ReadonlyMap<string, string>
}

const PAGE = 1_000

/** An event as lists answer it; the details are those of a payment. */
type Listed = Omit<FoundPayment, 'amount' | 'key' | 'gateway' | 'at' | 'isFinal'> & {
  timestamp: string
  finality: string
  amountString?: string
}

/** Every event through the public list. */
async function listAll(store: Store): Promise<Listed[]> {
  const events: Listed[] = []
  for (;;) {
    const page = { limit: PAGE, offset: events.length }
    const { text, count } = await readEventPage(store, { retracted: true }, page, new Map())
    events.push(...(JSON.parse(`[${text}]`) as Listed[]))
    if (count < PAGE) return events
  }
}

/** The statements as one: a round trip costs more than any of them. */
export async function findRows(store: Store, pool: Pool): Promise<Found> {
  const [answers, listed] = await Promise.all([
    pool.query(TABLES.map(table => COLUMNS[table]).join(';')) as unknown as Promise<{ rows: Row[] }[]>,
    listAll(store),
  ])
  const tables = Object.fromEntries(TABLES.map((table, at) => [table, answers[at]!.rows])) as Found['tables']
  const byId = new Map(tables.events.map(row => [String(row.id), row]))
  const payments = listed.flatMap((event): FoundPayment[] => {
    const row = byId.get(event.id)!
    const { amountString: amount, recipient, payer, tokenMint, trackingId, seq } = event
    if (amount === undefined) return []
    return [
      {
        recipient,
        payer,
        tokenMint,
        trackingId,
        seq,
        amount: BigInt(amount),
        id: event.id,
        key: keyOfRow(row),
        name: String(row.name),
        retracted: event.retracted,
        gateway: String(row.gateway),
        at: Date.parse(event.timestamp),
        isFinal: event.finality === 'finalized',
      },
    ]
  })
  return { tables, payments, keyOfId: new Map(tables.events.map(row => [String(row.id), keyOfRow(row)])) }
}
