// Where the store's statements of ingest stand in its source.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const { mapPositions } = (await import(
  fileURLToPath(new URL('../../../scripts/gate/map-positions.mjs', import.meta.url))
)) as { mapPositions: (text: string) => string }

const SRC = fileURLToPath(new URL('../src/', import.meta.url))

/** What ingest's transactions run, by folder below `src`. */
const FILES: Record<string, RegExp> = {
  'ingest/batch': /\.ts$/,
  'ingest/figures': /\.ts$/,
  'ingest/outbox': /\.ts$/,
  'ingest/recompute': /\.ts$/,
  'ingest/verify': /\.ts$/,
  // Without what requests and workers alone run.
  'core/tables': /^(?!archive|delivery-ranges|expectation|feed-notes|oldest|revoke|turn-off|write-).*\.ts$/,
  'core/tasks': /^(?:run-task|under-writer-lock|work-table)\.ts$/,
  'messages/routing': /^(?:notify|insert-messages|notified-webhooks)\.ts$/,
  'messages/waiting': /\.ts$/,
}
const STATEMENT = /\btx\.(?:send|\$queryRaw|\$executeRaw)\b/

const sitesIn = (file: string): string[] =>
  readFileSync(SRC + file, 'utf8')
    .split('\n')
    .flatMap((line, at) => (STATEMENT.test(line) ? [`${file}:${at + 1}`] : []))

/** Each place that gives a transaction a statement, as `file:line`. */
export const listSites = (): string[] =>
  Object.entries(FILES).flatMap(([folder, files]) =>
    readdirSync(SRC + folder)
      .filter(name => files.test(name))
      .toSorted()
      .flatMap(name => sitesIn(`${folder}/${name}`)),
  )

/** The place in the source that called the caller. */
export function callingSite(): string {
  const [frame = ''] = mapPositions(new Error('where').stack ?? '')
    .split('\n')
    .filter(line => line.includes('/store/src/'))
  return /\/store\/src\/(.+?:\d+)/.exec(frame)?.[1] ?? frame
}
