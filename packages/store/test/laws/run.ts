// Stores a history batch by batch in an empty database.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { readMessage } from '@payment-tracking/domain'
import { createDatabase, type Pool, type TestContext } from '@payment-tracking/testkit'
import { isEvent } from '@payment-tracking/testkit/oracle'
import { openStore } from '../../src/core/database/open-store.js'
import { commitBatch } from '../../src/ingest/batch/commit-batch.js'
import { runTaskPage, type TaskPage } from '../../src/ingest/batch/do-work.js'
import { type CommittedChanges, type ReceivedControl } from '../../src/ingest/batch/batch.js'
import { type ReceivedMessage } from '../../src/ingest/batch/batch.js'
import { type Store } from '../../src/core/database/open-store.js'
import { findRows, type Found } from './found.js'
import { arrive, isCountedAnew, type Arrival } from './arrivals.js'
import { command, schedule, type CreatedPlan } from './expected.js'
import { FeedReader } from './feeds.js'
import type { History, Webhook } from './histories.js'
import { bytesOf, type EventMessage, type Message } from './messages.js'

export interface LawDatabase {
  store: Store
  pool: Pool
  /** empties all tables */
  clear: string
}

/** A database that histories share one after another. */
export async function openLawDatabase(t: TestContext): Promise<LawDatabase> {
  const { url, pool } = await createDatabase(t)
  const store = openStore({ DATABASE_URL: url, poolSize: 2 })
  t.teardown(() => store.close())
  const { rows } = await pool.query<{ tablename: string }>(
    `select tablename from pg_tables where schemaname = 'public' and tablename not in ('_prisma_migrations', 'stream_head')`,
  )
  const deletes = rows.map(({ tablename }) => `delete from ${tablename}`)
  const clear = [
    'set session_replication_role = replica',
    ...deletes,
    'set session_replication_role = origin',
    'update stream_head set position = 0, finalized_slot = 0, figures_version = 1, counting_version = null',
  ].join(';')
  return { store, pool, clear }
}

/** Kinds of work that a rebuild alone leaves. */
const OF_REBUILD = new Set<TaskPage['kind']>(['rebuild', 'gateway', 'account'])
/** Few, so that batches come between the pages. */
const MOST_COUNTED = 30

/** How a page of work is done. */
export const pageOptions = ({ rowsAtOnce, rebuild }: Arrival) => ({
  programId: DEFAULT_PROGRAM_ID,
  sizer: {
    rowsOf: (kind: TaskPage['kind']) => {
      if (kind === 'figures') return Math.min(rebuild.rows, MOST_COUNTED)
      return OF_REBUILD.has(kind) ? rebuild.rows : rowsAtOnce
    },
    note: () => {},
  },
})

/** Of a rebuild, the figures alone: it does not notify of what it finds. */
const COUNT_ANEW = `
  insert into work (kind, key) values ('figures', 'figures') on conflict (kind, key) do update set cursor = ''`

const STREAM = { name: 'LAWS', createdAt: new Date(0) }
const SETTINGS = { programId: DEFAULT_PROGRAM_ID, requireProgramId: false }

const readings = new WeakMap<EventMessage, Omit<ReceivedMessage, 'streamSequence'>>()

function read(message: EventMessage): Omit<ReceivedMessage, 'streamSequence'> {
  const known = readings.get(message)
  if (known) return known
  const bytes = bytesOf(message)
  const result = readMessage(bytes, SETTINGS)
  if (!result.ok) throw new Error(`${result.refusal.reason}: ${Buffer.from(bytes).toString()}`)
  const received = { event: result.event, bytes, subject: `chain.events.${message.name}` }
  readings.set(message, received)
  return received
}

function toBatch(messages: readonly Message[], { from, rowsAtOnce }: { from: number; rowsAtOnce: number }) {
  const received: ReceivedMessage[] = []
  const controls: ReceivedControl[] = []
  messages.forEach((message, at) => {
    const streamSequence = from + at
    if (isEvent(message)) received.push({ ...read(message), streamSequence })
    else {
      const { key: _key, ...control } = message
      const source = {
        streamSequence,
        subject: `chain.events.control.${message.kind}`,
        bytes: Buffer.from('{}'),
      }
      controls.push({ ...source, control })
    }
  })
  return { stream: STREAM, received, refused: [], controls, rowsAtOnce }
}

export interface Run extends Found {
  history: History
  arrival: Arrival
  /** of batches and of pages of work */
  committed: CommittedChanges[]
  /** in the order of arrival */
  batches: Message[][]
  /** the ids of the history's webhooks, in their order */
  webhookIds: string[]
  /** the bodies of each gateway's feed, as it was read meanwhile */
  feeds: ReadonlyMap<string, readonly string[]>
  /** what the history's gateways expect, in their order */
  expected: CreatedPlan[]
}

/** The last of the batches could not be committed. */
export class CommitFailed extends Error {
  constructor(
    readonly batches: Message[][],
    readonly arrival: Arrival,
    cause: unknown,
  ) {
    super(`a transaction rejects: ${cause instanceof Error ? cause.stack : String(cause)}`, { cause })
  }
}

/**
 * Empties the database, and stores the history as it arrives.
 * @param readsFeeds whether the feeds are read meanwhile: of all that is asked of a database, that costs most
 */
export async function store(
  law: LawDatabase,
  history: History,
  arrival: Arrival,
  readsFeeds = false,
): Promise<Run> {
  const { store: target, pool, clear } = law
  await pool.query(clear)
  const webhookIds = await insertWebhooks(pool, history.webhooks)
  const tried = webhookIds.filter((_, at) => history.webhooks[at]!.tried)
  const feeds = new FeedReader(target, readsFeeds ? history.webhooks : [])
  const batches = arrive(history, arrival)
  const committed: CommittedChanges[] = []
  const { rowsAtOnce } = arrival
  /** @returns whether there was anything to do */
  const commit = async (changes: Promise<readonly CommittedChanges[]>): Promise<boolean> => {
    const done = await changes
    if (done.length === 0) return false
    committed.push(...done)
    await feeds.readOn()
    if (tried.length > 0)
      await pool.query(
        `update deliveries set attempts_made = 1
          where attempts_made = 0 and state <> 'cancelled' and webhook_id = any($1::bigint[])`,
        [tried],
      )
    return true
  }
  const options = pageOptions(arrival)
  const expected: CreatedPlan[] = []
  const doPage = () => commit(runTaskPage(target, options))
  let from = 1
  for (const [nth, batch] of batches.entries()) {
    const isLast = nth === batches.length - 1
    try {
      const time = { from: nth / batches.length, to: (nth + 1) / batches.length }
      if (isCountedAnew(arrival, nth)) await pool.query([...arrival.rebuild.spoils, COUNT_ANEW].join(';'))
      await command(target, expected, history.expectations, time)
      await commit(commitBatch(target, toBatch(batch, { from, rowsAtOnce })).then(changes => [changes]))
      for (let page = 0; (isLast || page < arrival.pages) && (await doPage()); page++);
      await commit(schedule(target))
    } catch (error) {
      throw new CommitFailed(batches.slice(0, nth + 1), arrival, error)
    }
    from += batch.length
  }
  const { rows: quarantined } = await pool.query('select task, key, error from quarantine')
  if (quarantined.length > 0)
    throw new CommitFailed(batches, arrival, `quarantined: ${JSON.stringify(quarantined)}`)
  await feeds.readToEnd()
  const found = await findRows(target, pool)
  return { history, arrival, committed, batches, webhookIds, feeds: feeds.bodies, expected, ...found }
}

async function insertWebhooks(pool: Pool, webhooks: readonly Webhook[]): Promise<string[]> {
  if (webhooks.length === 0) return []
  const { rows } = await pool.query<{ id: string }>(
    `insert into webhooks (gateway, endpoint_url, secret, finality, event_types, filters)
     select w.gateway, 'https://shop.example/', 'secret', w.finality,
            array(select json_array_elements_text(w.types)), w.filters
       from json_to_recordset($1) as w (nth int, gateway text, finality text, types json, filters json)
      order by w.nth
     returning id`,
    [JSON.stringify(webhooks.map((webhook, nth) => ({ nth, ...webhook })))],
  )
  return rows.map(({ id }) => id)
}
