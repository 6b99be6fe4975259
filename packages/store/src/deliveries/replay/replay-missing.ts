// Sends an endpoint what it missed: what was cancelled in the span of time, and what was stored in the span while the endpoint did
// not exist, was off or had other filters. What it waited for while it was off is cancelled then (release.ts). A request writes one
// row of work (webhook-work.ts); the row stays when the replay has ended, so that its gateway can read what it did.
import {
  CHAIN_LIFECYCLE_TYPES,
  PAYMENT_MESSAGE_TYPE,
  RETRACTION_MESSAGE_TYPE,
} from '@payment-tracking/domain'
import { ServiceError } from '@payment-tracking/runtime'
import { sql, type Store } from '../../core/database/sql.js'
import { REQUEUE } from '../../core/tasks/work-table.js'

/** What events of the chain cause, and nothing else. */
export const REPLAYED_TYPES = [
  PAYMENT_MESSAGE_TYPE,
  RETRACTION_MESSAGE_TYPE,
  ...CHAIN_LIFECYCLE_TYPES,
] as const
export type ReplayedType = (typeof REPLAYED_TYPES)[number]

/** How long ago a replay may begin: as long as deliveries are kept. */
export const REPLAYED_DAYS = 30

class ReplayUnderWayError extends ServiceError {
  readonly code = 'REPLAY_UNDER_WAY'
  readonly retry = 'later'

  constructor() {
    super('A replay of what this webhook missed is under way; ask again when it has ended.')
  }
}

/** What was asked for, and how far the pages have come. */
export interface ReplayState {
  /** when the events were stored, or deliveries cancelled, as ISO 8601 */
  since: string
  /** null: up to the first page */
  until: string | null
  /** null: every type that the webhook gets */
  types: ReplayedType[] | null
  /** events that were looked at */
  looked: number
  /** the positions after which it began, and at which it ends; the first page finds them */
  first?: string
  last?: string
  /** what the next day may go on with */
  goesOnAt?: string | undefined
  endedAt?: string
}

export interface ReplayProgress extends Pick<ReplayState, 'since' | 'until' | 'types' | 'looked'> {
  /** deliveries that were made, or were cancelled and are sent again */
  sent: bigint
  /** from 0 to 1 */
  share: number
  addedAt: Date
  /** when the quota of the day lets it go on; null while it does */
  goesOnAt: Date | null
  endedAt: Date | null
}

/**
 * Writes down that a webhook is sent what it missed: `doWebhookWork` does it. SQL: compares with what is stored.
 * @param of.since by the time at which events were stored, or deliveries cancelled; `of.until` is inclusive
 * @throws ReplayUnderWayError
 */
export async function beginReplay(
  { database }: Store,
  webhookId: bigint,
  of: { since: Date; until: Date | null; types: readonly ReplayedType[] | null },
): Promise<void> {
  const state: ReplayState = {
    since: of.since.toISOString(),
    until: of.until?.toISOString() ?? null,
    types: of.types && [...of.types],
    looked: 0,
  }
  const begun = await database.execute(sql`
    insert into work as w (kind, key, gateway, state)
    select 'replay', id::text, gateway, ${JSON.stringify(state)}::jsonb from webhooks where id = ${webhookId}
    on conflict (kind, key) do update
      set cursor = '', state = excluded.state, handled = 0, timeouts = 0, since = clock_timestamp(), ${REQUEUE}
      where w.next_at = 'infinity'`)
  if (begun === 0) throw new ReplayUnderWayError()
}

/** @returns null when there was none since the webhook was turned on */
export async function readReplay({ database }: Store, webhookId: bigint): Promise<ReplayProgress | null> {
  const [row] = await database.read<{ state: ReplayState; cursor: string; handled: bigint; since: Date }>(sql`
    select state, cursor, handled, since from work where kind = 'replay' and key = ${webhookId.toString()}`)
  if (row === undefined) return null
  const { since, until, types, looked, goesOnAt, endedAt } = row.state
  return {
    since,
    until,
    types,
    looked,
    sent: row.handled,
    share: endedAt === undefined ? shareOf(row.state, row.cursor) : 1,
    addedAt: row.since,
    goesOnAt: goesOnAt === undefined ? null : new Date(goesOnAt),
    endedAt: endedAt === undefined ? null : new Date(endedAt),
  }
}

function shareOf({ first, last }: ReplayState, cursor: string): number {
  const key = readCursor(cursor)
  if (key === null || first === undefined || last === undefined) return 0
  if (key.phase === 'retractions') return 1
  if (key.phase === 'cancelled') return 0
  const [from, to, at] = [Number(first), Number(last), Number(key.position)]
  return to <= from ? 1 : Math.min(1, Math.max(0, (at - from) / (to - from)))
}

/** After which the next page begins: a cancelled delivery of what the span does not hold, news of the gateway, or a retraction. */
export type ReplayKey =
  | { phase: 'cancelled'; delivery: bigint; sequence: bigint }
  | { phase: 'entries'; position: bigint; sequence: bigint }
  | { phase: 'retractions'; at: string; eventId: string }

export function writeCursor(key: ReplayKey): string {
  if (key.phase === 'cancelled') return `cancelled ${key.delivery} ${key.sequence}`
  return key.phase === 'entries'
    ? `entries ${key.position} ${key.sequence}`
    : `retractions ${key.at} ${key.eventId}`
}

/** @returns null at the beginning */
export function readCursor(cursor: string): ReplayKey | null {
  const [phase, at = '', id = ''] = cursor.split(' ')
  if (phase === 'cancelled') return { phase, delivery: BigInt(at), sequence: BigInt(id) }
  if (phase === 'entries') return { phase, position: BigInt(at), sequence: BigInt(id) }
  if (phase === 'retractions') return { phase, at, eventId: id }
  return null
}
