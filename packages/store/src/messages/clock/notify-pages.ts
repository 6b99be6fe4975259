// Rounds of notices of which the clock, or what nodes see, is the cause.
import type { ClientTx, Store } from '../../core/database/sql.js'
import { notifyInParts, type NotifiedPage } from '../routing/notify-in-parts.js'

export interface NotifyRound {
  /** policies in one transaction */
  limit: number
  /** called after each page; the round ends when it resolves with false */
  onPage?: (page: NotifiedPage) => Promise<boolean>
}

/**
 * Notifies of pages of policies, one after the other (`notifyInParts`).
 * @param pages their addresses, each page found after the one before was notified of
 * @returns how many dates or risks were notified of
 */
export async function notifyPages(
  store: Store,
  task: 'due-dates' | 'payment-risks',
  { limit, onPage = () => Promise.resolve(true) }: NotifyRound,
  pages: AsyncIterable<readonly string[]>,
  notify: (tx: ClientTx, held: readonly string[]) => Promise<NotifiedPage>,
): Promise<number> {
  let notified = 0
  for await (const addresses of pages) {
    const page = await notifyInParts(store, task, addresses, limit, notify)
    notified += page.notified
    if (!(await onPage(page))) break
  }
  return notified
}
