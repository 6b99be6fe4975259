// The feed of each gateway, read in pages while its history is stored, beside what a webhook without filters was sent.
import { WEBHOOK_EVENT_TYPES } from '@payment-tracking/domain'
import { labelOf, type Model } from '@payment-tracking/testkit/oracle'
import { readFeedPage } from '../../src/reads/feed/read-feed-page.js'
import { type FeedKey } from '../../src/reads/cursors.js'
import { type Store } from '../../src/core/database/open-store.js'
import type { Webhook } from './histories.js'
import type { Run } from './run.js'

/** Goes on with the feeds of some gateways, each from its own cursor. */
export class FeedReader {
  readonly bodies = new Map<string, string[]>()
  readonly #cursors = new Map<string, FeedKey>()
  readonly #gateways: readonly string[]
  #turn = 0

  constructor(
    private readonly store: Store,
    webhooks: readonly Webhook[],
  ) {
    this.#gateways = [...new Set(webhooks.map(({ gateway }) => gateway))]
  }

  /**
   * Reads to the end, in pages of 1 to 4 messages: what comes late belongs before a cursor that has passed its key. Of each five
   * commits one is left out, so that pages begin within what several commits stored.
   */
  async readOn(): Promise<void> {
    this.#turn += 1
    if (this.#turn % 5 === 0) return
    for (const gateway of this.#gateways) while (await this.#read(gateway, 1 + (this.#turn % 4)));
  }

  async readToEnd(): Promise<void> {
    for (const gateway of this.#gateways) while (await this.#read(gateway, 7));
  }

  /** @returns whether there may be more */
  async #read(gateway: string, limit: number): Promise<boolean> {
    const after = this.#cursors.get(gateway) ?? null
    const page = await readFeedPage(this.store, { gateway, types: WEBHOOK_EVENT_TYPES, after, limit })
    if (typeof page === 'string') throw new Error(`the feed of ${labelOf(gateway)} is refused: ${page}`)
    this.#cursors.set(gateway, page.next)
    this.bodies.set(gateway, [...(this.bodies.get(gateway) ?? []), ...page.bodies])
    return page.hasMore
  }
}

/** Every body of the feeds in pages of one length, from the beginning. */
export async function readFeeds(store: Store, webhooks: readonly Webhook[]): Promise<Map<string, string[]>> {
  const reader = new FeedReader(store, webhooks)
  await reader.readToEnd()
  return reader.bodies
}

const isOfAll = ({ types, finality, filters, tried }: Webhook): boolean =>
  types.includes('payment.retracted') &&
  types.includes('expectation.paid') &&
  finality === 'confirmed' &&
  filters === null &&
  tried

/** The webhooks of a deleted gateway are stopped: its feed goes on. */
export function findFeedProblems({ history, webhookIds, tables, feeds }: Run, model: Model): string[] {
  return history.webhooks.flatMap((webhook, nth) => {
    const { gateway } = webhook
    if (!isOfAll(webhook) || model.everDeleted.has(gateway)) return []
    const sent = tables.deliveries
      .filter(({ webhook_id: id }) => String(id) === webhookIds[nth])
      .map(({ body }) => String(body))
    const listed = feeds.get(gateway) ?? []
    return [
      ...missing(sent, listed).map(body => `the feed of ${labelOf(gateway)} lacks ${body}`),
      ...missing(listed, sent).map(
        body => `the feed of ${labelOf(gateway)} lists, and no webhook is sent ${body}`,
      ),
    ]
  })
}

/** What is in a list more often than in another. */
export function missing(list: readonly string[], other: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const each of other) counts.set(each, (counts.get(each) ?? 0) + 1)
  return list.filter(each => {
    const left = counts.get(each) ?? 0
    counts.set(each, left - 1)
    return left <= 0
  })
}
