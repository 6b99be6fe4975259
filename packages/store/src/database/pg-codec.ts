// How values travel between this process and Postgres, for statements that go past the client's engine.
import pg from 'pg'

/** The numbers by which Postgres calls its types. */
const [INT8, TIMESTAMPTZ] = [20, 1184]
const readTime = pg.types.getTypeParser(TIMESTAMPTZ) as (text: string) => unknown

/** By the platform, three times as fast as by pg; it takes the years before 1000 and odd offsets for others. */
const readTimeFast = (text: string): unknown =>
  text.endsWith('+00') && !text.startsWith('0') ? new Date(text) : readTime(text)

/**
 * A `timestamptz(3)` cast to text, as ISO 8601 in UTC with milliseconds: of the time that a page of 100 took, a tenth
 * went into making a Date of each and writing it again.
 */
export function toIsoTime(text: string): string {
  if (!text.endsWith('+00') || text.startsWith('0')) return (readTime(text) as Date).toISOString()
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(3, '0')}Z`
}

/** Integers of eight bytes are bigints, as the client gives them. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: oid => {
    if ((oid as number) === INT8) return BigInt
    if ((oid as number) === TIMESTAMPTZ) return readTimeFast
    return pg.types.getTypeParser(oid) as (text: string) => unknown
  },
}

const QUOTED = /["\\]/
const ALL_QUOTED = /["\\]/g

/** What a list may hold. */
type Element = string | number | bigint | boolean | Date | null | undefined

function writeElement(value: Element): string {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'string') return `"${QUOTED.test(value) ? value.replace(ALL_QUOTED, '\\$&') : value}"`
  return value instanceof Date ? `"${value.toISOString()}"` : String(value)
}

/**
 * A parameter as text, when it is put together and not when Postgres is ready for it. pg would write a time in the
 * zone of this process, which has not always been whole minutes from UTC. Lists are flat.
 */
export function writeValue(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  return Array.isArray(value) ? `{${(value as Element[]).map(writeElement).join(',')}}` : value
}
