// What the other webhooks of a gateway are sent when a webhook fails or was deactivated.
import { createHash } from 'node:crypto'
import type { DeliveryMessage } from './delivery-message.js'
import type { NoticeType } from '../policies/lifecycle-types.js'

export interface WebhookNotice {
  type: NoticeType
  /** the webhook that fails */
  webhookId: bigint
  gateway: string
  /** Stays here: the URL of a chat's webhook is its secret, and what it is sent has other readers. */
  endpointUrl: string
  /** when it began to fail, or was deactivated */
  at: Date
  /** every attempt has failed since then; null where unknown */
  failingSince: Date | null
  /** why the service deactivated it; null while it is active */
  reason: string | null
}

const dataOf = ({ webhookId, gateway, endpointUrl, failingSince, reason }: WebhookNotice) => ({
  webhookId: Number(webhookId),
  gateway,
  origin: new URL(endpointUrl).origin,
  failingSince: failingSince?.toISOString() ?? null,
  reason,
})
export type NoticeDataField = keyof ReturnType<typeof dataOf>

/** One message for each webhook, type and time: rendered again, the message has the same id. */
export function renderWebhookNotice(notice: WebhookNotice): DeliveryMessage {
  const { type, webhookId, at } = notice
  const identity = JSON.stringify([type, webhookId.toString(), at.toISOString()])
  const id = `msg_${createHash('sha256').update(identity).digest('hex').slice(0, 40)}notice`
  return { id, type, body: JSON.stringify({ id, type, timestamp: at.toISOString(), data: dataOf(notice) }) }
}
