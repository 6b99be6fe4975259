// Hours of gateways, as the statements about figures take them.
import { ALL_GATEWAYS } from '@payment-tracking/domain'
import { sql, type Sql } from '../../core/database/sql.js'

/** An hour of one gateway, or of all (`ALL_GATEWAYS`). */
export interface GatewayHour {
  gateway: string
  start: Date
}

export const hourKey = ({ gateway, start }: GatewayHour): string => `${start.toISOString()} ${gateway}`

export const toHour = (key: string): GatewayHour => {
  const end = key.indexOf(' ')
  return { start: new Date(key.slice(0, end)), gateway: key.slice(end + 1) }
}

export const listOf = (hours: readonly GatewayHour[]): Sql => sql`
  unnest(${hours.map(({ gateway }) => gateway)}::text[],
         ${hours.map(({ start }) => start.toISOString())}::timestamptz[]) as k (gateway, start)`

/** Events `e` of a gateway, or of all. */
export const isOf = (gateway: string): Sql =>
  gateway === ALL_GATEWAYS ? sql`true` : sql`e.gateway = ${gateway}`
