// A rebuild runs page by page, while ingest runs. A new version of the rules begins one by itself.
import type { Store } from '../database/open-store.js'
import { lockHead } from './head.js'
import { PageSizer } from './page-sizer.js'
import { REBUILD } from './rebuild.js'
import { refoldPage, type RefoldOptions } from './refold-pages.js'
import { addWork } from './work.js'

/**
 * The version of the rules by which states, facts and figures follow from events. Raise it with the rules: ingest then
 * rebuilds once, while it runs.
 */
export const PROJECTION_VERSION = 1

/** @param sincePosition the last position: what is stored was told when it came */
const rebuildSince = (sincePosition: bigint) => ({
  kind: 'all' as const,
  address: REBUILD,
  cursor: '',
  sincePosition,
})

/** Writes down the work of a rebuild where the database follows older rules. @returns whether it does */
export async function beginNewRules({ database }: Store, serverRun?: string): Promise<boolean> {
  return database.pipelinedTransaction(async tx => {
    await lockHead(tx, serverRun)
    const rows = await tx.$queryRaw<{ position: bigint }[]>`
      update stream_head set projection_version = ${PROJECTION_VERSION}
       where id = 1 and projection_version < ${PROJECTION_VERSION} returning position`
    const [older] = rows
    if (older) addWork(tx, [rebuildSince(older.position)])
    return older !== undefined
  })
}

export interface RebuildOptions extends Omit<RefoldOptions, 'serverRun'> {
  /** called after each page with the number of pages */
  onPage?: (pages: number) => void
}

/** Rebuilds at once, beside a running ingest or without one. */
export async function rebuildProjections(
  store: Store,
  { sizer = new PageSizer(), onPage = () => {}, ...options }: RebuildOptions,
): Promise<void> {
  await store.database.pipelinedTransaction(async tx => {
    const { position } = await lockHead(tx)
    addWork(tx, [rebuildSince(position)])
  })
  for (let pages = 1; (await refoldPage(store, { ...options, sizer })) !== null; pages++) onPage(pages)
}
