// A rebuild runs page by page, while ingest runs. A new version of the rules begins one by itself.
import type { Store } from '../../core/database/sql.js'
import { addRebuild } from '../recompute/rebuild.js'
import { lockHead } from '../../core/tables/head.js'
import { PageSizer } from '../../core/tasks/page-sizer.js'
import { runTaskPage, type TaskOptions } from './do-work.js'

/**
 * The version of the rules by which states, details and figures follow from events. Raise it with the rules: ingest then
 * rebuilds once, while it runs.
 */
export const PROJECTION_VERSION = 1

/** Writes down the work of a rebuild where the database follows older rules. @returns whether it does */
export async function beginNewRules({ database }: Store, serverRun?: string): Promise<boolean> {
  return database.pipelinedTransaction(async tx => {
    await lockHead(tx, serverRun)
    const where = { id: 1, projectionVersion: { lt: PROJECTION_VERSION } }
    const data = { projectionVersion: PROJECTION_VERSION }
    const { count } = await tx.withModels(client => client.streamHead.updateMany({ where, data }))
    if (count > 0) addRebuild(tx)
    return count > 0
  })
}

export interface RebuildOptions extends Omit<TaskOptions, 'serverRun'> {
  /** called after each page with the number of pages */
  onPage?: (pages: number) => void
}

/** Rebuilds at once, beside a running ingest or without one. */
export async function rebuildProjections(
  store: Store,
  { sizer = new PageSizer(), onPage = () => {}, ...options }: RebuildOptions,
): Promise<void> {
  await store.database.pipelinedTransaction(async tx => {
    await lockHead(tx)
    addRebuild(tx)
  })
  for (let pages = 1; (await runTaskPage(store, { ...options, sizer })).length > 0; pages++) onPage(pages)
}
