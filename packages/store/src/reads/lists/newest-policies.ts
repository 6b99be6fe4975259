// Lists of policies `p`, newest first by (creation, address).
import { empty, sql, type Sql } from '../../core/database/sql.js'
import type { PolicyKey } from '../cursors.js'

export const NEWEST_FIRST = sql`order by p.created_at desc, p.address desc`

/** Only those that come after one. */
export const isAfter = (key: PolicyKey | null | undefined): Sql =>
  key ? sql`and (p.created_at, p.address) < (${BigInt(key.createdAt)}, ${key.address})` : empty

/**
 * The newest policies of a gateway. Relies on policies_gateway_live or policies_gateway_gone, read backwards.
 * @param live `p.live` or `not p.live`
 */
export const newestOfGateway = (
  gateway: string,
  live: Sql,
  page: { after?: PolicyKey | null | undefined; limit: Sql | number; columns?: Sql },
): Sql => sql`
  (select ${page.columns ?? sql`p.*`} from policies p
    where p.gateway = ${gateway} and ${live} ${isAfter(page.after)} ${NEWEST_FIRST} limit ${page.limit})`
