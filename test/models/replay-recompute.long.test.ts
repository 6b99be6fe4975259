// A policy that is recomputed in pages of one payment, while payments and Created events come, and are retracted, in any order. What
// must hold is short enough to be said here, so there is no model. Laws look for more, and hardly ever at work that begins again.
// In one process with others: Quint.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { openStore, type Store } from '@payment-tracking/store/core'
import { commitBatch, runTaskPage, type Batch } from '@payment-tracking/store/ingest'
import { buildRandom, createDatabase } from '@payment-tracking/testkit'
import t from 'tap'
import { breakStore } from './replay/break-store.js'
import { EMPTY, batchOf, batchWith } from './replay/chain-database.js'
import { PLANTS_BREAKS, SEED, TIMES } from './replay/draws.js'
import { keyOf, PAYMENT, POLICY_CREATED } from '../../packages/domain/test/messages.js'

const LEARNED: Batch = batchWith('UserPaymentCreated', { owner: keyOf(5), token_mint: keyOf(6) }, 200, 0, 200)
const created = (order: number): Batch =>
  batchWith(
    'PaymentPolicyCreated',
    { ...POLICY_CREATED, user_payment: LEARNED.received[0]!.event.userPayment! },
    100 + order,
    order,
    100 + order,
  )
const POLICY = created(0).received[0]!.event.paymentPolicy!
const paid = (order: number, amount = 1): Batch =>
  batchWith(
    'PaymentRecord',
    { ...PAYMENT, payment_policy: POLICY, record_id: order, amount: String(amount) },
    order,
    order,
    order,
  )
const retracted = (order: number): Batch =>
  batchOf({ kind: 'retracted', tx: order, slot: order }, 500 + order)
const createdRetracted = (order: number): Batch =>
  batchOf({ kind: 'retracted', tx: 100 + order, slot: order }, 600 + order)

const PAGE = 1
const PAYMENTS = [1, 3, 5, 7]
/** The total tells how often each payment counts. */
const amountOf = (order: number): number => 10 ** PAYMENTS.indexOf(order)
const CREATED = [2, 4, 6]
const STEPS = 16
const SEQUENCES = 30
const MOST_PAGES = 30

const BREAKS = [
  [
    'work that begins again stays at its place',
    'cursor = least(r.cursor, excluded.cursor)',
    'cursor = r.cursor',
  ],
  ['work that begins again keeps its sums', "(r.state - 'sums')", 'r.state'],
  ['nobody knows that work has begun', "state -> 'sums' is not null as", 'false as'],
  ['work never ends', 'delete from work where kind =', 'delete from work where false and kind ='],
] as const

const database = await createDatabase(t)
const whole = openStore({ DATABASE_URL: database.url, poolSize: 2 })
t.teardown(() => whole.close())

/** The shortest ways in which a break was ever noticed. */
const KNOWN = [
  'pay 3, pay 5, create 2, retract 3',
  'pay 3, pay 5, create 2, pay 1',
  'pay 1, pay 3, create 2, learn 0',
  'pay 3, pay 5, create 2, learn 0, pay 1, retractCreated 2',
  'pay 3, pay 5, create 4, learn 0, pay 1, retractCreated 4',
  'pay 3, pay 5, create 2, learn 0, retractCreated 2, pay 1, create 4',
  'learn 0, pay 3, pay 5, create 2, page 0, retractCreated 2, pay 1, create 4',
  'pay 1, learn 0, create 2',
  'pay 3, retract 3, create 2',
].map(text => text.split(', '))

function drawSteps(seed: string): string[] {
  const random = buildRandom(seed, 'recompute')
  return Array.from({ length: STEPS }, () => {
    const act = random.pick(['pay', 'pay', 'create', 'retract', 'retractCreated', 'learn', 'page'])
    return `${act} ${random.pick(act.includes('reate') ? CREATED : PAYMENTS)}`
  })
}

/** Does steps, such as `pay 3`, as far as they are possible, and what work is left. @returns what went wrong */
async function findProblem(store: Store, steps: readonly string[]): Promise<string | null> {
  const payments = new Map<number, 'valid' | 'retracted'>()
  const incarnations = new Map<number, 'valid' | 'retracted'>()
  let isLearned = false
  await database.pool.query(`${EMPTY}; delete from user_payments`)
  const commit = async (batch: Batch) => void (await commitBatch(store, { ...batch, rowsAtOnce: PAGE }))
  const page = async () =>
    (await runTaskPage(store, { programId: DEFAULT_PROGRAM_ID, sizer: { rowsOf: () => PAGE, note() {} } }))
      .length
  const read = async () => {
    const { rows } = await database.pool.query<{ total: string; known: boolean[]; isOpen: boolean }>(
      `select coalesce((select total_paid::text from policies where live), '0') as total,
              exists (select from work) as "isOpen",
              coalesce((select array_agg(token_mint is not null) from events where name = 'PaymentRecord'), '{}') as known`,
    )
    return rows[0]!
  }
  const act = async (step: string): Promise<void> => {
    const [what, number] = step.split(' ') as [string, string]
    const order = Number(number)
    if (what === 'pay' && !payments.has(order)) {
      payments.set(order, 'valid')
      await commit(paid(order, amountOf(order)))
    } else if (what === 'create' && !incarnations.has(order)) {
      incarnations.set(order, 'valid')
      await commit(created(order))
    } else if (what === 'retract' && payments.get(order) === 'valid') {
      payments.set(order, 'retracted')
      await commit(retracted(order))
    } else if (what === 'retractCreated' && incarnations.get(order) === 'valid') {
      incarnations.set(order, 'retracted')
      await commit(createdRetracted(order))
    } else if (what === 'learn' && !isLearned) {
      isLearned = true
      await commit(LEARNED)
    } else if (what === 'page') await page()
  }
  /** When no work is left, the row counts each valid payment of the latest incarnation, and details are those that are known. */
  const check = async (): Promise<string | null> => {
    const { total, known, isOpen } = await read()
    if (!/^[01]+$/.test(total)) return `a payment counts twice in ${total}`
    if (isOpen) return null
    const starts = [...incarnations].filter(([, how]) => how === 'valid').map(([order]) => order)
    const counting = [...payments].filter(([order, how]) => how === 'valid' && order > Math.max(...starts))
    const sum = starts.length === 0 ? 0 : counting.reduce((all, [order]) => all + amountOf(order), 0)
    if (total !== String(sum)) return `${total} is paid, and should be ${sum}`
    const isKnown = isLearned && starts.length > 0
    return known.every(is => is === isKnown) ? null : `mints are ${known.join()}`
  }
  for (const [at, step] of steps.entries()) {
    await act(step)
    const problem = await check()
    if (problem !== null) return `${problem}, after ${steps.slice(0, at + 1).join(', ')}`
  }
  for (let pages = 0; (await page()) > 0; pages += 1)
    if (pages > MOST_PAGES) return `work does not end, after ${steps.join(', ')}`
  const problem = await check()
  return problem && `${problem}, after ${steps.join(', ')} and all pages`
}

/** @returns the first problem */
async function findAny(store: Store, sequences: readonly (readonly string[])[]): Promise<string | null> {
  for (const steps of sequences) {
    const problem = await findProblem(store, steps).catch(String)
    if (problem !== null) return problem
  }
  return null
}

t.test('recompute', async t => {
  t.comment(`SEED=${SEED}`)
  const drawn = Array.from({ length: SEQUENCES * TIMES }, (_, nth) => drawSteps(`${SEED} ${nth}`))
  t.equal(await findAny(whole, [...KNOWN, ...drawn]), null)
  if (!PLANTS_BREAKS) return
  for (const [name, find, replace] of BREAKS) {
    let found = 0
    const broken = breakStore(whole, text => {
      found += text.split(find).length - 1
      return text.replace(find, replace)
    })
    const noticed = await findAny(broken, KNOWN)
    t.ok(noticed !== null, `${name}: ${noticed ?? 'not noticed'}`)
    t.ok(found > 0, `${name}: the text is in a statement`)
  }
})
