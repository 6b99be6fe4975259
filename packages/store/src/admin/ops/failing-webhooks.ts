import type { RetryRules } from '@payment-tracking/domain'
import { raw, sql, type Store, type Webhook } from '../../core/database/sql.js'
import { IS_ACTIVE } from '../../core/tables/delivery-rows.js'
import { readHealth, type WebhookHealth } from '../webhooks/read-health.js'
import { readWaits } from '../webhooks/read-waits.js'

/** A webhook whose endpoint fails, by the definition that its owner sees. */
export interface FailingWebhook extends WebhookHealth, Pick<Webhook, 'id' | 'gateway' | 'endpointUrl'> {
  /** the last time that it accepted anything, or its registration */
  since: Date
  /** deliveries that wait for it; 1,000 mean at least so many */
  waiting: number
}

/** Hours of endpoints that are read, the newest; and webhooks that are judged. */
const HOURS_READ = raw('10000')
const JUDGED = raw('200')
/** Only times follow from it, and none is shown. */
const RULES: RetryRules = { backoffMs: 1, backoffFactor: 1 }

/**
 * Active webhooks of all gateways whose endpoints fail, the longest failing first. Looks at the newest 10,000 counts of requests
 * that were not accepted in 24 hours (webhook_hours_not_accepted), and judges at most 200 webhooks of these.
 */
export async function listFailingWebhooks(store: Store): Promise<FailingWebhook[]> {
  const webhooks = await store.database.read<
    Pick<Webhook, 'id' | 'gateway' | 'endpointUrl' | 'createdAt'>
  >(sql`
    select w.*
      from (select webhook_id, max(start) as start
              from (select webhook_id, start from webhook_hours
                     where not accepted and start > statement_timestamp() - interval '24 hours'
                     order by start desc limit ${HOURS_READ}) h
             group by webhook_id order by max(start) desc limit ${JUDGED}) h
     cross join lateral (
       select w.id, w.gateway, w.endpoint_url as "endpointUrl", w.created_at as "createdAt"
         from webhooks w where w.id = h.webhook_id and ${IS_ACTIVE} limit 1) w`)
  const ids = webhooks.map(({ id }) => id)
  const health = await readHealth(store, ids)
  const failing = webhooks.flatMap(({ createdAt, ...webhook }) => {
    const read = health.get(webhook.id)
    return read?.health === 'failing'
      ? [{ ...webhook, ...read, since: read.lastAcceptedAt ?? createdAt }]
      : []
  })
  const waits = await readWaits(
    store,
    failing.map(({ id }) => id),
    RULES,
  )
  return failing
    .map(webhook => ({ ...webhook, waiting: waits.get(webhook.id)!.waiting }))
    .toSorted((a, b) => a.since.getTime() - b.since.getTime())
}
