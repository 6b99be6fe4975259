// Test files are bundled from the sources, so the testkit opens the store of ../src, with what the package does not show.
import { openTestStore as open } from '@payment-tracking/testkit'
import type { Store } from '../src/core/database/open-store.js'

type Open = (
  ...asked: Parameters<typeof open>
) => Promise<Awaited<ReturnType<typeof open>> & { store: Store }>

/** A store over a new database, closed when the test ends. */
export const openTestStore = open as unknown as Open
