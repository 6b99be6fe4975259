import { raw } from '../../core/database/sql.js'

/** Without use a session ends after this: whoever looks in each morning stays signed in. */
export const IDLE_HOURS = 48
/** However it is used, it ends after this. */
export const LIFETIME_DAYS = 14
/** In which a link that signs in can be opened. */
export const LINK_MINUTES = 15

/** As a literal of SQL. */
export const interval = (count: number, unit: 'hours' | 'days' | 'minutes') =>
  raw(`interval '${count} ${unit}'`)
