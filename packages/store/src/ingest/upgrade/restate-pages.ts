// Pages of policies and hours whose rows an earlier release wrote by its own rules.
import { sql, type Tx } from '../../database/sql.js'
import type { PipelinedTx } from '../../database/pipelined-transactions.js'
import { IS_PAYMENT } from '../../payment-names.js'
import { hoursOf, recountHours, type GatewayHour } from '../recount-hours.js'
import { projectAgain, restate } from '../restate.js'

/** A page of keys: those after `after`, of events in a range of positions. */
export interface Page {
  /** '' for the first page */
  after: string
  /** 0 means all stored events */
  since: bigint
  upTo: bigint
  limit: number
}

export interface PageDone {
  count: number
  /** the last key; null when the page was empty */
  last: string | null
}

/**
 * Projects a page of policies again from their events. The caller holds the writer lock. A policy whose mint becomes known
 * changes the figures of all hours in which it was paid. The first pass counts every hour in a later step, so that none is
 * counted here once for each of its policies.
 */
export async function restatePolicies(
  tx: PipelinedTx,
  page: Page,
  scope: { upTo: bigint; programId: string },
): Promise<PageDone> {
  const rows = await readPolicies(tx, page)
  const policies = rows.map(({ address }) => address)
  const addresses = { policies, userPayments: [], gateways: [] }
  if (page.since === 0n) await projectAgain(tx, addresses, scope)
  else await restate(tx, addresses, { ...scope, payments: [] })
  return { count: policies.length, last: policies.at(-1) ?? null }
}

const readPolicies = (tx: Tx, { after, since, upTo, limit }: Page): Promise<{ address: string }[]> =>
  since === 0n
    ? tx.$queryRaw<{ address: string }[]>`
        select address from policies where address > ${after} order by address limit ${limit}`
    : tx.$queryRaw<{ address: string }[]>`
        select distinct payment_policy as address from events
         where position > ${since} and position <= ${upTo} and payment_policy > ${after}
         order by payment_policy limit ${limit}`

/** Counts a page of hours again, by gateway and of all gateways. The caller holds the writer lock. */
export async function recountPages(
  tx: PipelinedTx,
  page: Page,
  { upTo }: { upTo: bigint },
): Promise<PageDone> {
  const hours = await readHours(tx, page)
  recountHours(tx, page.since === 0n ? hours : withAllGateways(hours), upTo)
  const last = hours.at(-1)
  return { count: hours.length, last: last === undefined ? null : keyOf(last) }
}

const withAllGateways = (hours: readonly GatewayHour[]): GatewayHour[] =>
  hoursOf(hours.map(({ gateway, start }) => ({ gateway, occurredAt: start })))

const keyOf = ({ gateway, start }: GatewayHour): string => `${gateway} ${start.toISOString()}`

/** The hour of a key; before the first key nothing is. */
function hourOf(key: string): { gateway: string; start: string } {
  if (key === '') return { gateway: '', start: '-infinity' }
  const [gateway, start] = key.split(' ') as [string, string]
  return { gateway, start }
}

function readHours(tx: Tx, { after, since, upTo, limit }: Page): Promise<GatewayHour[]> {
  const { gateway, start } = hourOf(after)
  if (since === 0n)
    return tx.$queryRaw<GatewayHour[]>`
      select gateway, start from payment_stats
       where span = 3600 and (gateway, span, start) > (${gateway}, 3600, ${start}::timestamptz)
       order by gateway, span, start limit ${limit}`
  return tx.$queryRaw<GatewayHour[]>`
    select gateway, start from (
      select distinct e.gateway, date_trunc('hour', e.occurred_at, 'UTC') as start from events e
       where e.position > ${since} and e.position <= ${upTo} and ${IS_PAYMENT}) hours
     where (gateway, start) > (${gateway}, ${start}::timestamptz)
     order by gateway, start limit ${limit}`
}

/** The first message of the stream that an earlier release may have read by other rules. */
export async function readFirstSequence(
  tx: Tx,
  { since, upTo }: Pick<Page, 'since' | 'upTo'>,
): Promise<bigint> {
  if (since === 0n) return 1n
  const [row] = await tx.$queryRaw<{ first: bigint | null }[]>(sql`
    select min(stream_sequence) as first from events
     where position > ${since} and position <= ${upTo} and (commitment is null or of_earlier_release)`)
  return row?.first ?? 1n
}
