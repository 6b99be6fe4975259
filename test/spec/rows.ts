// The specification as rows: what each sentence and each row of its tables says, and the check of it. Every check runs twice:
// against the service, where it must hold, and with its sentence broken on the way, where it must fail.
import type { Test } from 'tap'
import type { JsonAnswer } from '../ask-json.js'

export interface Asked {
  method: string
  path: string
  body?: Record<string, unknown> | undefined
  token?: string | undefined
}

export type Answer = JsonAnswer

export type Ask = (
  method: string,
  path: string,
  options?: { body?: Record<string, unknown>; token?: string },
) => Promise<Answer>

/** A service that breaks a sentence: it acts on another request, or gives another answer. */
export interface RestBreak {
  asked?: (asked: Asked) => Asked
  answer?: (answer: Answer, asked: Asked) => Answer
}
/** Or it tells something else. */
export interface Break<Seen = null> extends RestBreak {
  seen?: (seen: Seen) => Seen
}

export interface Subject<Seen> {
  ask: Ask
  /** what sockets and endpoints were told before the checks */
  seen: Seen
}

export interface Row<Seen = null> {
  section: number
  /** the table of the section; a sentence has none */
  table?: string
  /** the sentence, or the field, in our words */
  says: string
  /** @throws when the sentence does not hold */
  check: (subject: Subject<Seen>) => Promise<void> | void
  breaks: readonly Break<Seen>[]
}

/** A sentence that is checked as other rows, each named as `section table: says`. */
export interface Repeated {
  section: number
  table?: string
  says: string
  as: readonly string[]
}

const checked = new Set<string>()
const repeated: Repeated[] = []

const titleOf = ({ section, table }: Pick<Repeated, 'section' | 'table'>): string =>
  `${section} ${table ?? 'sentences'}`

/** What the specification says more than once is checked once. To be called behind the rows of all files. */
export function checkRepeated(t: Test): void {
  for (const row of repeated)
    for (const other of row.as) t.ok(checked.has(other), `section ${titleOf(row)}: ${row.says}: is ${other}`)
}

const broken = <Seen>({ ask, seen }: Subject<Seen>, by: Break<Seen>): Subject<Seen> => ({
  ask: async (method, path, options) => {
    const asked = { method, path, ...options }
    const acted = by.asked?.(asked) ?? asked
    const answer = await ask(acted.method, acted.path, {
      ...(acted.body && { body: acted.body }),
      ...(acted.token !== undefined && { token: acted.token }),
    })
    return by.answer?.(answer, asked) ?? answer
  },
  seen: by.seen?.(structuredClone(seen)) ?? seen,
})

async function problemOf<Seen>(row: Row<Seen>, subject: Subject<Seen>): Promise<string | null> {
  try {
    await row.check(subject)
    return null
  } catch (error) {
    return String((error as Error).message)
  }
}

/** @param tables how many rows each table of the specification has, by `section table` */
export async function checkRows<Seen>(
  t: Test,
  rows: readonly (Row<Seen> | Repeated)[],
  tables: Readonly<Record<string, number>>,
  subject: Subject<Seen>,
): Promise<void> {
  const counts: Record<string, number> = {}
  for (const row of rows) if (row.table !== undefined) counts[titleOf(row)] = (counts[titleOf(row)] ?? 0) + 1
  t.strictSame(counts, tables, 'each table has as many rows as in the specification')
  for (const row of rows) {
    if ('as' in row) {
      repeated.push(row)
      continue
    }
    checked.add(`${titleOf(row)}: ${row.says}`)
    const says = `section ${titleOf(row)}: ${row.says}`
    t.equal(await problemOf(row, subject), null, says)
    t.ok(row.breaks.length > 0, `${says}: can be broken`)
    for (const [number, each] of row.breaks.entries())
      t.ok((await problemOf(row, broken(subject, each))) !== null, `${says}: break ${number + 1} is noticed`)
  }
}

type Json = Record<string, unknown>

/** The value with every field of this name changed, however deep. */
function changeField(value: unknown, name: string, change: (object: Json) => void): unknown {
  if (Array.isArray(value)) return value.map(each => changeField(each, name, change))
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, changeField(each, name, change)]),
  )
  if (Object.hasOwn(copy, name)) change(copy)
  return copy
}

const inAnswer =
  (change: (body: unknown) => unknown) =>
  (answer: Answer): Answer => ({ ...answer, body: change(answer.body) })

/** Answers that lack a field, or hold it with another type. */
export const withoutField = (name: string): RestBreak[] => [
  { answer: inAnswer(body => changeField(body, name, object => delete object[name])) },
  {
    answer: inAnswer(body =>
      changeField(body, name, object => {
        object[name] = typeof object[name] === 'string' ? 1 : 'another type'
      }),
    ),
  },
]

export const answersStatus = (status: number): RestBreak => ({ answer: answer => ({ ...answer, status }) })

/** The envelope is left out, or put around what has none. */
export const otherEnvelope: RestBreak = {
  answer: inAnswer(body =>
    typeof body === 'object' && body !== null && 'success' in body
      ? (body as unknown as { data: unknown }).data
      : { success: true, data: body, timestamp: Date.now() },
  ),
}

/** A service that never reads a parameter, or reads it as if it had another value. */
export const readsParameter = (name: string, value: string | null): RestBreak => ({
  asked: asked => {
    const url = new URL(asked.path, 'http://service')
    if (value === null) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
    return { ...asked, path: url.pathname + url.search }
  },
})

/** A service that never reads a field of the body. */
export const ignoresField = (name: string): RestBreak => ({
  asked: asked => {
    const body = { ...asked.body }
    delete body[name]
    return { ...asked, body }
  },
})

export const asksForToken: RestBreak = {
  answer: answer => (answer.status < 300 ? { ...answer, status: 401 } : answer),
}
