// Routes that write note in the log of changes who changed what. They run in one transaction (answer-before-commit.ts), so a
// change and its row in the log commit together. The log holds names and no values, and of a URL the host: the URL of a chat is a
// secret.
import { isDeepStrictEqual } from 'node:util'
import {
  hostOf,
  writeChanges,
  type Author,
  type Change,
  type ChangeKind,
  type Store,
} from '@payment-tracking/store/core'
import { type WebhookChoices, type WebhookRecord } from '@payment-tracking/store/admin'
import type { FastifyRequest } from 'fastify'
import { apiKeyOf, claimsOfRequest } from './gateway-auth.js'

/** Who sent a request. */
export const authorOf = (request: FastifyRequest): Author => ({
  wallet: claimsOfRequest(request).signer,
  apiKey: apiKeyOf(request) ?? null,
})

/** Writes what a request changed, with who sent it. */
export async function noteChanges(
  store: Store,
  request: FastifyRequest,
  changes: readonly Change[],
): Promise<void> {
  await writeChanges(store, claimsOfRequest(request).gateway, authorOf(request), changes)
}

export const webhookChange = (
  kind: ChangeKind,
  { id, endpointUrl }: Pick<WebhookRecord, 'id' | 'endpointUrl'>,
  fields: readonly string[] = [],
): Change => ({ kind, subject: id.toString(), name: hostOf(endpointUrl), fields })

/** The names of what differs. */
export const changedFields = <T extends object>(before: T, after: T): string[] =>
  Object.keys(after).filter(name => !isDeepStrictEqual(before[name as keyof T], after[name as keyof T]))

/** What the service itself keeps on the record of a webhook. */
const KEPT_BY_SERVICE = new Set(['failingSince', 'deactivatedReason', 'deactivatedAt', 'headerNames'])

/** The values of headers are on no record, so headers that were sent count as changed. */
export function changesOfWebhook(
  before: WebhookRecord,
  after: WebhookRecord,
  { headers }: Partial<WebhookChoices>,
): Change[] {
  const differing = changedFields(before, after).filter(name => !KEPT_BY_SERVICE.has(name))
  const fields = [
    ...differing.filter(name => name !== 'active'),
    ...(headers === undefined ? [] : ['headers']),
  ]
  return [
    ...(fields.length > 0 ? [webhookChange('webhook.changed', after, fields)] : []),
    ...(differing.includes('active')
      ? [webhookChange(after.active ? 'webhook.activated' : 'webhook.deactivated', after)]
      : []),
  ]
}
