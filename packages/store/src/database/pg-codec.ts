// The encoding of values between this process and Postgres, for statements that bypass Prisma's engine.
import pg from 'pg'

/** Postgres' numbers for its types. */
const [INT8, TIMESTAMPTZ] = [20, 1184]
const readTime = pg.types.getTypeParser(TIMESTAMPTZ) as (text: string) => unknown

/** Uses the platform's parser, three times as fast as pg's. The platform misreads years before 1000 and odd offsets. */
const readTimeFast = (text: string): unknown =>
  text.endsWith('+00') && !text.startsWith('0') ? new Date(text) : readTime(text)

/**
 * Converts a `timestamptz(3)` as text to ISO 8601 in UTC with milliseconds. Creating and formatting a Date for each row
 * took a tenth of the time of a page of 100.
 */
export function toIsoTime(text: string): string {
  if (!text.endsWith('+00') || text.startsWith('0')) return (readTime(text) as Date).toISOString()
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(3, '0')}Z`
}

/** Integers of eight bytes become bigints, as in Prisma's client. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: oid => {
    if ((oid as number) === INT8) return BigInt
    if ((oid as number) === TIMESTAMPTZ) return readTimeFast
    return pg.types.getTypeParser(oid) as (text: string) => unknown
  },
}

const QUOTED = /["\\]/
const ALL_QUOTED = /["\\]/g

/** The possible elements of a list. */
type Element = string | number | bigint | boolean | Date | null | undefined

function writeElement(value: Element): string {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'string') return `"${QUOTED.test(value) ? value.replace(ALL_QUOTED, '\\$&') : value}"`
  return value instanceof Date ? `"${value.toISOString()}"` : String(value)
}

/**
 * Encodes a parameter as text at once, not when Postgres is ready for it. pg would write a time in this process's time
 * zone, whose offset has not always been whole minutes. Lists are flat.
 */
export function writeValue(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'bigint') return value.toString()
  return Array.isArray(value) ? `{${(value as Element[]).map(writeElement).join(',')}}` : value
}
