// Compares the API's answers with expected.json of the second set of fixtures, or of another set with the same shape.
import { readJson, writeJson } from '@payment-tracking/domain'
import type { FixtureAnswers } from './fixtures-2.js'

/** Asks the API for a path. @returns status and body as text */
export type AskApi = (path: string) => Promise<{ status: number; text: string }>

export interface Comparison {
  /** the number of compared values */
  compared: number
  /** `<what>: wanted <JSON>, found <JSON>`, for each that differs */
  differences: string[]
}

// Answers and expectations are untyped JSON on purpose.
// oxlint-disable-next-line typescript/no-explicit-any
type Untyped = any

/** JSON whose members are sorted, so that equal values are equal texts. */
const canonical = (value: unknown): string => writeJson(sortMembers(value))

function sortMembers(value: Untyped): Untyped {
  if (Array.isArray(value)) return value.map(sortMembers)
  if (value === null || typeof value !== 'object') return value ?? null
  return Object.fromEntries(
    Object.keys(value as object)
      .sort()
      .map(name => [name, sortMembers(value[name])]),
  )
}

const sorted = (rows: readonly unknown[]): string[] => rows.map(canonical).sort()
const pick = (names: readonly string[], row: Untyped): Untyped =>
  Object.fromEntries(names.map(name => [name, row?.[name] ?? null]))
const queryOf = (query: Record<string, unknown>): string =>
  new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()

/**
 * Requests every value in `expected`. Where the set leaves an order or a value open, the function does not compare it.
 * @param ask an API that has stored all messages of the set, once or more often
 */
export async function compareAnswers(expected: FixtureAnswers, ask: AskApi): Promise<Comparison> {
  const comparison: Comparison = { compared: 0, differences: [] }
  const same = (what: string, found: unknown, wanted: unknown): void => {
    comparison.compared += 1
    const [a, b] = [canonical(found), canonical(wanted)]
    if (a !== b) comparison.differences.push(`${what}: wanted ${b}, found ${a}`)
  }
  const parts: Parts = {
    same,
    get: async path => readJson((await ask(path)).text) as Untyped,
    status: async path => (await ask(path)).status,
  }
  await compareCounts(expected as Untyped, parts)
  await compareStats(expected as Untyped, parts)
  await comparePolicies(expected as Untyped, parts)
  await comparePayments(expected as Untyped, parts)
  await compareTransactions(expected as Untyped, parts)
  return comparison
}

interface Parts {
  same: (what: string, found: unknown, wanted: unknown) => void
  get: (path: string) => Promise<Untyped>
  status: (path: string) => Promise<number>
}

async function compareCounts(expected: Untyped, { same, get }: Parts): Promise<void> {
  same('event names', await get('/v1/events/names'), expected.eventNames)
  same('count of all events', await get('/v1/events/count'), { count: expected.stored })
  for (const [name, count] of Object.entries(expected.countByName)) {
    same(`count of ${name}`, await get(`/v1/events/count?eventName=${name}`), { count })
    const listed = await get(`/v1/events?eventName=${name}&limit=1000`)
    same(`list of ${name}`, listed.length, Math.min(Number(count), 1000))
  }
}

async function compareStats(expected: Untyped, { same, get }: Parts): Promise<void> {
  for (const { about, query, answer } of expected.stats) {
    const { byToken, ...rest } = answer
    // The answer has no average if there are no payments.
    if (Number(rest.count) === 0) delete rest.averageAmount
    const stats = await get(`/v1/events/payments/stats?${queryOf(query)}`)
    same(`statistics: ${about}`, pick(Object.keys(rest), stats), rest)
    if (byToken === undefined) continue
    const names = Object.keys(byToken[0] ?? {})
    same(
      `statistics by token: ${about}`,
      sorted(stats.byToken.map((token: Untyped) => pick(names, token))),
      sorted(byToken),
    )
  }
}

async function comparePolicies(expected: Untyped, { same, get }: Parts): Promise<void> {
  for (const wanted of expected.subscriptions) {
    const { trackingId, policyAddress, knownType, record, additive, dueState, paymentsOfAddress } = wanted
    const what = `subscription ${trackingId}`
    const { data } = await get(`/v1/subscriptions?${queryOf({ trackingId })}`)
    const found = data.find((one: Untyped) => one.policyAddress === policyAddress)
    const { policyType, ...base } = record
    same(what, pick(Object.keys(base), found), base)
    if (knownType) same(`${what}: type`, found?.policyType, policyType)
    else same(`${what}: type`, Object.keys(found?.policyType ?? {}), Object.keys(policyType))
    same(`${what}: additive`, pick(Object.keys(additive), found), additive)
    if (dueState !== undefined) same(`${what}: dueState`, found?.dueState, dueState)
    const payments = await get(`/v1/events/payments?paymentPolicy=${policyAddress}&limit=1000`)
    if (paymentsOfAddress !== undefined)
      same(`${what}: payments of the address`, payments.length, paymentsOfAddress)
  }
  for (const { query, policies } of expected.lookups) {
    const { data } = await get(`/v1/subscriptions?${queryOf(query)}`)
    const addresses = data.map((one: Untyped) => one.policyAddress)
    same(`policies of ${queryOf(query)}`, [...addresses].sort(), [...policies].sort())
    const created: number[] = data.map((one: Untyped) => one.createdAt)
    const newestFirst = [...created].sort((a, b) => b - a)
    same(`order of ${queryOf(query)}`, created, newestFirst)
  }
  for (const trackingId of expected.gone)
    same(`gone: ${trackingId}`, (await get(`/v1/subscriptions?${queryOf({ trackingId })}`)).data, [])
}

async function comparePayments(expected: Untyped, { same, get, status }: Parts): Promise<void> {
  const pathOf = (trackingId: string): string => `/v1/onetime/${encodeURIComponent(trackingId)}`
  const read = async (trackingId: string, query = ''): Promise<Untyped[]> => {
    const { data } = await get(`${pathOf(trackingId)}?limit=1000${query}`)
    return data === undefined ? [] : Array.isArray(data) ? data : [data]
  }
  for (const { trackingId, newestFirst, retracted, seqs } of expected.oneTime) {
    const found = await read(trackingId)
    const names = Object.keys({ ...newestFirst[0]?.base, ...newestFirst[0]?.additive }).filter(
      name => name !== 'memo',
    )
    same(
      `payments of ${trackingId}`,
      sorted(found.map(one => pick(names, one))),
      sorted(newestFirst.map((one: Untyped) => pick(names, { ...one.base, ...one.additive }))),
    )
    const times = found.map(({ timestamp }) => timestamp as string)
    same(`order of payments of ${trackingId}`, times, [...times].sort().reverse())
    const all = await read(trackingId, '&retracted=true')
    const slotsOf = (rows: Untyped[]) => sorted(rows.map(row => pick(['signature', 'slot'], row)))
    same(`retracted of ${trackingId}`, slotsOf(all.filter(one => one.retracted)), slotsOf(retracted))
    same(
      `seqs of ${trackingId}`,
      all.map(({ seq }) => seq as number).sort((a, b) => a - b),
      Array.from({ length: Number(seqs) }, (_, at) => at + 1),
    )
    if (newestFirst.length === 0) same(`status of ${trackingId}`, await status(pathOf(trackingId)), 404)
  }
  for (const trackingId of expected.unpaid)
    same(`unpaid: ${trackingId}`, await status(pathOf(trackingId)), 404)
  if (expected.directTransfers === undefined) return
  const { paymentPolicy, count } = expected.directTransfers
  const transfers = await get(`/v1/events/payments?paymentPolicy=${paymentPolicy}&limit=1000`)
  same('direct transfers', transfers.length, count)
  for (const { id, data, recipient, payer, tokenMint } of transfers)
    same(`transfer ${id}`, [recipient, payer, tokenMint], [data.recipient, data.payer, data.token_mint])
}

async function compareTransactions(expected: Untyped, { same, get }: Parts): Promise<void> {
  const shown = ({ eventName, data, finality }: Untyped): Untyped => ({
    eventName,
    ...(data.recipient === undefined ? {} : { recipient: data.recipient }),
    finality,
  })
  for (const { signature, ordered, events, retracted } of expected.transactions) {
    const found = (await get(`/v1/events?signature=${signature}`)).map(shown)
    if (ordered) same(`events of ${signature}`, found, events)
    else same(`events of ${signature}`, sorted(found), sorted(events))
    const all = await get(`/v1/events?signature=${signature}&retracted=true`)
    const gone = all.filter((one: Untyped) => one.retracted)
    same(
      `retracted of ${signature}`,
      sorted(gone.map((one: Untyped) => pick(['slot', 'eventName'], one))),
      sorted(retracted),
    )
    same(
      `retracted is noted of each event of ${signature}`,
      all.every((one: Untyped) => typeof one.retracted === 'boolean'),
      true,
    )
  }
}

/** For messages of tests: the first differences, one a line. */
export const describeDifferences = ({ differences }: Comparison): string[] =>
  differences.slice(0, 20).map(difference => difference.slice(0, 600))
