// The rules of domain/deliveries/recovery.ts as SQL over deliveries `d`.
import { RECOVERED_BELOW_ATTEMPTS, RECOVERED_HOURS, RESTS_WHILE_FAILING } from '@payment-tracking/domain'
import { inline, raw, sql, type Sql } from '../database/sql.js'

/** How many rounds a delivery has had. */
const ROUND = raw(`least(greatest(ceil(d.attempts_made / 4.0)::int, 1), ${RESTS_WHILE_FAILING.length})`)
const REST = raw(`((array[${RESTS_WHILE_FAILING.join()}]::float8[])[${ROUND.text}])`)

/** Of failed deliveries: those that may have another round. */
export const IS_RECOVERABLE = sql`(
  d.state = 'failed' and d.attempts_made < ${inline(RECOVERED_BELOW_ATTEMPTS)}
  and d.finished_at > statement_timestamp() - make_interval(hours => ${inline(RECOVERED_HOURS)})
  and d.last_error is distinct from 'address refused')`

/** @param unitMs the delay of the first retry */
const times = (rest: Sql, unitMs: number): Sql =>
  sql`make_interval(secs => ${rest} * ${unitMs}::float8 / 1000)`

/** How long a failed delivery rests while its endpoint answers. */
export const restWhileAnswering = (unitMs: number): Sql => times(raw('d.attempts_made'), unitMs)
/** How long it rests while its endpoint fails. */
export const restWhileFailing = (unitMs: number): Sql => times(REST, unitMs)
