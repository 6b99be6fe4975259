// Hours of gateways, as the statements about figures take them.
import { sql, type Sql } from '../database/sql.js'

/** An hour of one gateway, or of all (`ALL_GATEWAYS`). */
export interface GatewayHour {
  gateway: string
  start: Date
}

/** Of one token too. */
export interface TokenHour extends GatewayHour {
  tokenMint: string
}

export const keyOf = ({ gateway, start }: GatewayHour): string => `${start.toISOString()} ${gateway}`
export const distinct = <H extends GatewayHour>(hours: readonly H[]): H[] => [
  ...new Map(hours.map(hour => [keyOf(hour), hour])).values(),
]

export const listOf = (hours: readonly GatewayHour[]): Sql => sql`
  unnest(${hours.map(({ gateway }) => gateway)}::text[],
         ${hours.map(({ start }) => start.toISOString())}::timestamptz[]) as k (gateway, start)`
