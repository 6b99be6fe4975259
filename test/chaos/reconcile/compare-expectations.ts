// Expected payments: each row and each answer is what the oracle says of the valid events, and every change of a state was
// told once, in order.
import {
  expectationOf,
  findNoticeProblems,
  type Model,
  type ModelSum,
  type Notice,
  type Over,
} from '@payment-tracking/testkit/oracle'
import type { CommitChecker } from '../load/commit-checker.js'
import type { Expecter } from '../load/expecter.js'
import type { Endpoint } from '../load/receivers.js'
import { isExpected } from '../plan/world.js'
import { ask } from './ask.js'
import { compareEnd, type DeliveryRow } from './compare-deliveries.js'
import type { Differences } from './differences.js'
import type { StoredEvent } from './stored-events.js'

interface ObservedExpectations {
  expecter: Expecter
  endpoints: readonly Endpoint[]
  deliveries: readonly DeliveryRow[]
  model: Model
  storedOf: ReadonlyMap<string, StoredEvent>
  baseUrl: string
  /** the database lost commits: what was told of them is not on record */
  promoted: boolean
}

interface ExpectationRow extends Record<string, unknown> {
  id: string
  changes: number
  final_changes: number
}

const MOST_LISTED = 100

export async function compareExpectations(
  checker: CommitChecker,
  { expecter, model, storedOf, baseUrl, ...observed }: ObservedExpectations,
  differences: Differences,
): Promise<void> {
  const say = (what: string) => differences.add('expectations', what)
  const rows = new Map(
    (
      await checker.query<ExpectationRow>(`
        select id::text, changes::int, final_changes::int, counting, state, final_state, paid_amount::text,
               in_time_amount::text, payment_count::text, final_paid_amount::text, final_in_time_amount::text,
               final_payment_count::text
          from expectations`)
    ).map(row => [row.id, row]),
  )
  const known = new Set<string>()
  for (const { id, plan, expiresAt, cancelled } of expecter.expected) {
    if (id === null) continue
    known.add(id)
    const row = rows.get(id)
    if (!row) {
      say(`${id} was created, and is not stored`)
      continue
    }
    const sums = expectationOf({ ...plan, expiresAt, cancelled }, model, new Date())
    for (const [column, cell] of Object.entries(cellsOf(sums)))
      if (String(row[column]) !== cell)
        say(`${id} of ${plan.amount}: ${column} is ${String(row[column])}; it should be ${cell}`)
    const { all, final } = sums
    const answer = await ask(baseUrl, `/v1/expectations/${id}`)
    const { payments, ...said } = JSON.parse(answer) as Record<string, unknown> & { payments: string[] }
    const should = {
      state: all.state,
      paidAmountString: String(all.paidAmount),
      late: all.late,
      finality: leastFinality(all, final),
    }
    for (const [field, value] of Object.entries(should))
      if (said[field] !== value) say(`${id} answers ${field} ${String(said[field])}; it should be ${value}`)
    const ids = all.payments.flatMap(({ event }) => storedOf.get(event.key)?.id ?? [])
    const isListed = payments.every(of => ids.includes(of)) && new Set(payments).size === payments.length
    if (!isListed || payments.length !== Math.min(MOST_LISTED, ids.length))
      say(`${id} lists ${payments.join()}; it should list ${ids.join()}`)
    for (const endpoint of observed.endpoints.filter(({ behaviour }) => isExpected(behaviour)))
      if (endpoint.gateway === plan.gateway.address) compareNotices(endpoint, row, sums, observed, say)
  }
  differences.addAll(expecter.problems)
  for (const id of rows.keys()) if (!known.has(id)) say(`${id} is stored, and nobody knows of it`)
  for (const endpoint of observed.endpoints.filter(({ behaviour }) => isExpected(behaviour)))
    for (const row of observed.deliveries.filter(each => Number(each.webhook_id) === endpoint.webhookId)) {
      const { data } = JSON.parse(row.body) as { data: { id: string; gateway: string } }
      if (!rows.has(data.id) || data.gateway !== endpoint.gateway)
        say(`webhook ${endpoint.webhookId} is told of ${data.id}`)
      compareEnd(endpoint, row, false, what => say(`${row.type} ${row.id} ${what}`))
    }
}

const cellsOf = ({ all, final }: Record<Over, ModelSum>): Record<string, string> => ({
  counting: 'false',
  state: all.state,
  paid_amount: String(all.paidAmount),
  in_time_amount: String(all.inTimeAmount),
  payment_count: String(all.payments.length),
  final_state: final.state,
  final_paid_amount: String(final.paidAmount),
  final_in_time_amount: String(final.inTimeAmount),
  final_payment_count: String(final.payments.length),
})

const leastFinality = ({ payments }: ModelSum, final: ModelSum): string | null =>
  payments.length === 0 ? null : final.payments.length === payments.length ? 'finalized' : 'confirmed'

/** What the endpoint got, each id once, in the order in which it came first. */
function compareNotices(
  { behaviour, webhookId, receiver }: Endpoint,
  { id, changes, final_changes: finalChanges }: ExpectationRow,
  sums: Record<Over, ModelSum>,
  { deliveries, promoted }: Pick<ObservedExpectations, 'deliveries' | 'promoted'>,
  say: (what: string) => void,
): void {
  const bodies = promoted
    ? deliveries.filter(row => Number(row.webhook_id) === webhookId).map(({ body }) => body)
    : receiver.requests.map(({ body }) => body)
  const notified = new Map<string, Notice>()
  for (const body of bodies) {
    const { data, ...of } = JSON.parse(body) as Notice & {
      data: { id: string; state: Notice['state']; paidAmountString: string }
    }
    const paidAmount = BigInt(data.paidAmountString)
    if (data.id === id && !notified.has(of.id))
      notified.set(of.id, { id: of.id, type: of.type, state: data.state, paidAmount })
  }
  const over: Over = behaviour === 'expected-final' ? 'final' : 'all'
  const changed = { id, over, changes: over === 'all' ? changes : finalChanges, state: sums[over].state }
  for (const problem of findNoticeProblems(changed, [...notified.values()]))
    say(`webhook ${webhookId} of ${id}: ${problem}`)
}
