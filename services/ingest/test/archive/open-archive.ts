// An archive in a directory, an archiver that keeps what happened since April 2026, and histories that can be archived.
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import type { Store } from '@payment-tracking/store/core'
import { countRows, type Pool, type TestContext } from '@payment-tracking/testkit'
import type { ArchiveFiles } from '../../src/archive/archive-files.js'
import { openArchiveFiles } from '../../src/archive/open-archive-files.js'
import { archiveOldMonths, type ArchiverOptions } from '../../src/archive/archiver.js'
import { runArchive } from '../../src/archive/archive-command.js'
import {
  created,
  drain,
  ingest,
  pay as payAsUsual,
  PERIODS,
  say,
  userPayment,
  type Message,
} from '../recompute-history.js'

const KEPT_SINCE = new Date('2026-04-01T00:00:00Z')

/** Says that all is final. */
export const FINAL: Message = {
  subject: 'chain.events.control.finalized',
  bytes: Buffer.from('{"slot":9000000000000000}'),
}

/** A payment that can shrink: its fields come in an unusual order, so the row of its event holds all of them. */
export function pay(slot: number, id = 1): Message {
  const usual = JSON.parse(Buffer.from(payAsUsual(slot, id).bytes).toString()) as { data: object }
  return say('PaymentRecord', slot, { record_id: slot, ...usual.data })
}

/** A policy, its payments in these slots, and that all of it is final. */
export const paidIn = (slots: readonly number[]): Message[] => [
  userPayment,
  created(1, 10, PERIODS),
  ...slots.map(slot => pay(slot)),
  FINAL,
]

/** As if everybody had been notified: what is not announced is not archived. */
export const relayAll = (pool: Pool) => pool.query('update ingest_batches set relayed_at = now()')

/** Stores messages, does the work that follows, and notifies everybody. */
export async function take(store: Store, pool: Pool, messages: readonly Message[]): Promise<void> {
  await ingest(store, messages)
  await drain(store)
  await relayAll(pool)
}

export const countShort = (pool: Pool) => countRows(pool, 'events where shrunk')

/** Does what the command does. @returns whether all is right, and what it said */
export async function operate(store: Store, files: ArchiveFiles, command: Parameters<typeof runArchive>[0]) {
  const said: string[] = []
  const say = (line: string) => void said.push(line)
  const isRight = await runArchive(command, { store, files, log: { info: () => {}, warn: () => {} }, say })
  return { isRight, said: said.join('\n') }
}

/** The number of months before this one that are kept, so that lists begin with the month of a time. */
export const monthsBefore = (first: Date, now = new Date()): number =>
  (now.getUTCFullYear() - first.getUTCFullYear()) * 12 + now.getUTCMonth() - first.getUTCMonth()

export async function makeDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), `archive-${randomUUID().slice(0, 8)}-`))
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  return directory
}

type Transaction = (...args: unknown[]) => Promise<unknown>

/** A store that lets a test look behind each transaction: a page that shrinks or is filled, or a move of the number. */
export function watched(store: Store, check: (kind: 'page' | 'move') => unknown): Store {
  const { database } = store as unknown as {
    database: { transaction: Transaction; pipelinedTransaction: Transaction }
  }
  const watch =
    (run: Transaction, kind: 'page' | 'move'): Transaction =>
    async (...args) => {
      const result = await run(...args)
      await check(kind)
      return result
    }
  const pools = {
    ...database,
    transaction: watch(database.transaction, 'page'),
    pipelinedTransaction: watch(database.pipelinedTransaction, 'move'),
  }
  return { ...store, database: pools } as unknown as Store
}

/** A store that stops the archiver behind so many pages. */
export function stoppingAfter(store: Store, pages: number, stop: AbortController): Store {
  let left = pages
  return watched(store, kind => {
    if (kind === 'page') left -= 1
    if (left === 0) stop.abort()
  })
}

export async function openArchive(t: TestContext, store: Store) {
  const directory = await makeDirectory(t)
  const files = await openArchiveFiles(directory)
  const logs: string[] = []
  const say = (fields: object, message: string) => void logs.push(`${message} ${inspect(fields)}`)
  return {
    directory,
    files,
    logs,
    /** Archives all that may be. */
    run: (options: Partial<ArchiverOptions> = {}, stop = new AbortController().signal) =>
      archiveOldMonths(
        {
          store,
          files,
          months: monthsBefore(KEPT_SINCE),
          folder: 'test',
          everyMs: 1_000,
          settledSeconds: 0,
          eventsAPart: 150,
          guard: { serverRun: () => Promise.resolve(undefined) },
          log: { info: say, warn: say } as ArchiverOptions['log'],
          ...options,
        },
        stop,
      ),
  }
}
