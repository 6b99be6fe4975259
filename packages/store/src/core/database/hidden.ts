import { sql, type Sql } from './sql.js'

/**
 * A value that the planner does not see, not even where it makes a plan for one call: it is computed when the statement
 * runs. So a plan for one call never looks cheaper than the plan for all, and Postgres keeps that one.
 */
export const hidden = (value: Sql): Sql => sql`(select ${value})`
