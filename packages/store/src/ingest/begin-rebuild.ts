// A rebuild runs page by page, while ingest runs. A new version of the rules begins one by itself.
import type { Store } from '../database/open-store.js'
import { lockHead } from './head.js'
import { PageSizer } from './page-sizer.js'
import { REBUILD } from './rebuild.js'
import { refoldPage } from './refold-pages.js'
import { addWork, type Work } from './work.js'

/**
 * The version of the rules by which states, facts and figures follow from events. Raise it with the rules: ingest then
 * rebuilds once, while it runs.
 */
export const PROJECTION_VERSION = 1

const WORK: Pick<Work, 'kind' | 'address' | 'cursor'> = { kind: 'all', address: REBUILD, cursor: '' }

/** Writes down the work of a rebuild where the database follows older rules. @returns whether it does */
export async function beginNewRules({ database }: Store, serverRun?: string): Promise<boolean> {
  return database.pipelinedTransaction(async tx => {
    await lockHead(tx, serverRun)
    const rows = await tx.$queryRaw<{ position: bigint }[]>`
      update stream_head set projection_version = ${PROJECTION_VERSION}
       where id = 1 and projection_version < ${PROJECTION_VERSION} returning position`
    const isOlder = rows.length > 0
    if (isOlder) addWork(tx, [WORK])
    return isOlder
  })
}

/**
 * Rebuilds at once, beside a running ingest or without one.
 * @param programId the program for deriving addresses
 * @param onPage called after each page with the number of pages
 */
export async function rebuildProjections(
  store: Store,
  programId: string,
  onPage: (pages: number) => void = () => {},
): Promise<void> {
  await store.database.pipelinedTransaction(async tx => {
    await lockHead(tx)
    addWork(tx, [WORK])
  })
  const sizer = new PageSizer()
  for (let pages = 1; (await refoldPage(store, { programId, sizer })) !== null; pages++) onPage(pages)
}
