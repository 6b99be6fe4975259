// Who may do what in the database. Each service has a role of its own with the rights of this table; the role that migrates owns
// everything and is no service's. Letters as in Postgres' own lists of rights (`\dp`): `a` adds rows, `r` reads them, `w` changes
// them, `d` removes them. And `l` locks them: Postgres asks for the right to change a column then, so `l` gives it for the key.
import { createHmac } from 'node:crypto'

export const SERVICES_WITH_ROLES = ['ingest', 'api', 'realtime', 'webhook-worker', 'ops'] as const
export type ServiceWithRole = (typeof SERVICES_WITH_ROLES)[number]
type Rights = readonly [ingest: string, api: string, realtime: string, webhookWorker: string, ops: string]

// roles.test.ts finds in the code what the statements of each service need, and compares.
const RIGHTS: Readonly<Record<string, Rights>> = {
  stream_head: ['rw', 'rl', 'r', 'rl', 'r'],
  earlier_epochs: ['a', 'r', 'r', '', ''],
  ingest_batches: ['arwd', 'r', '', 'r', 'r'],
  announcements: ['ardl', '', '', '', ''],
  dead_letters: ['arwd', '', '', '', 'rw'],
  stream_gaps: ['arwd', '', '', '', 'rw'],
  gaps: ['arwd', '', '', '', 'r'],
  retractions: ['ar', 'r', '', 'r', ''],
  events: ['arw', 'r', 'r', 'r', 'r'],
  trackings: ['arw', 'r', 'r', '', ''],
  expectations: ['rw', 'arw', 'r', 'rw', ''],
  expectation_counts: ['arw', 'r', '', 'arw', ''],
  expected_payments: ['arwd', 'r', 'r', 'r', ''],
  gateways: ['arwd', 'r', '', 'r', ''],
  user_payments: ['arwd', 'r', 'r', 'r', ''],
  policies: ['arwd', 'r', 'r', 'rw', ''],
  token_accounts: ['arwd', 'r', '', 'r', ''],
  program_facts: ['ar', 'r', '', 'r', ''],
  risk_notices: ['rwd', 'r', '', 'arwd', ''],
  event_counts: ['arwd', 'r', '', '', ''],
  work: ['arwd', 'arwd', 'r', 'arwd', 'r'],
  payment_token_stats: ['arwd', 'r', '', '', ''],
  webhooks: ['rw', 'arw', '', 'rwd', 'r'],
  quarantine: ['ar', 'ar', 'ar', 'ar', 'rd'],
  gateway_settings: ['', 'arw', '', 'r', ''],
  customer_names: ['', 'arwd', '', '', ''],
  gateway_changes: ['', 'ardl', '', 'ardl', ''],
  redelivery_counts: ['', 'arw', '', 'arw', 'arw'],
  deliveries: ['arw', 'arw', '', 'arwd', 'rw'],
  delivery_attempts: ['', 'r', '', 'arwd', 'r'],
  webhook_hours: ['rd', 'r', '', 'arw', 'r'],
  waiting_messages: ['ardl', 'ardl', '', 'ardl', ''],
  messages: ['arwd', 'ar', '', 'arw', 'r'],
  policy_notices: ['rwd', '', '', 'ar', ''],
  api_keys: ['rwd', 'arw', '', 'rw', ''],
  gateway_sessions: ['', 'arwd', '', '', ''],
  ended_ops_sessions: ['', '', '', '', 'ard'],
  processes: ['arwd', 'arwd', 'arwd', 'arwd', 'arwd'],
  lease_uses: ['', '', 'ar', '', ''],
  archive_parts: ['arwd', 'r', '', '', ''],
  archive_problem: ['arwd', '', '', '', 'r'],
}

/** Columns of secrets: who neither makes them nor sends by them has no right to them. */
const SECRETS: Readonly<Record<string, { columns: readonly string[]; known: readonly ServiceWithRole[] }>> = {
  webhooks: { columns: ['secret', 'earlier_secrets', 'headers'], known: ['api', 'webhook-worker'] },
}

export const TABLES_WITH_RIGHTS = Object.keys(RIGHTS)

/** The letters of what a service may do with a table. */
export const rightsOf = (service: ServiceWithRole, table: string): string =>
  RIGHTS[table]?.[SERVICES_WITH_ROLES.indexOf(service)] ?? ''

/** The columns of a table that a service may neither read nor change. */
export const secretsFor = (service: ServiceWithRole, table: string): readonly string[] => {
  const secrets = SECRETS[table]
  return !secrets || secrets.known.includes(service) ? [] : secrets.columns
}

/** @param owner the role that migrates */
export const roleOf = (owner: string, service: ServiceWithRole): string =>
  `${owner}_${service.replaceAll('-', '_')}`

/**
 * The address of the same database for a service's role, on a server whose roles `makeRoles` has made. Other roles, and those of
 * other servers, have passwords of their own.
 * @param ownerUrl `postgresql://owner:password@…`
 */
export function urlOfRole(ownerUrl: string, service: ServiceWithRole): string {
  const url = new URL(ownerUrl)
  const role = roleOf(decodeURIComponent(url.username), service)
  url.password = createHmac('sha256', decodeURIComponent(url.password)).update(role).digest('hex')
  url.username = encodeURIComponent(role)
  return url.href
}
