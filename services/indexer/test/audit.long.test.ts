// What proves that nothing is missing: the program's own numbers, its accounts, and lists that reach back.
// In one process with others: what tests load.
import { discriminatorOf, writeEventBytes } from '@payment-tracking/chain'
import { derivePolicy, deriveUserPayment } from '@payment-tracking/domain'
import { waitFor } from '@payment-tracking/testkit'
import bs58 from 'bs58'
import t from 'tap'
import { listAccount } from '../src/audit/list-account.js'
import { ChainNode, PAGE } from '../src/nodes/open-node.js'
import { call, key, openRig, pay, paymentBytes, PROGRAM, stranger, type Rig } from './open-rig.js'

t.setTimeout(110_000)

const userPayment = deriveUserPayment(PROGRAM, key('owner'), key('mint'))
const policy = derivePolicy(PROGRAM, userPayment, 1)

/** The account of `policy`, a OneTime policy, with a number of payments. */
function policyAccount(paymentCount: number): Uint8Array {
  const u32 = (value: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(value)
    return bytes
  }
  const oneTime = Buffer.concat([Buffer.of(3), Buffer.alloc(120)])
  const keys = [userPayment, key('recipient'), key('gateway')].map(each => bs58.decode(each))
  const statusMemoAndTotal = Buffer.alloc(1 + 64 + 8)
  const times = Buffer.alloc(16)
  const mark = discriminatorOf('account', 'PaymentPolicy')
  return Buffer.concat([
    mark,
    ...keys,
    oneTime,
    statusMemoAndTotal,
    u32(paymentCount),
    times,
    u32(1),
    Buffer.alloc(64),
  ])
}

const createPolicy = (policyId: number) =>
  call('create_payment_policy', {
    log: writeEventBytes('PaymentPolicyCreated', {
      user_payment: userPayment,
      recipient: key('recipient'),
      gateway: key('gateway'),
      policy_id: policyId,
      policy_type: { OneTime: { amount: '5', due_date: '1780000000', expiry_date: null, padding: null } },
      memo: Array.from({ length: 64 }, () => 0),
      created_policies_count: policyId - 1,
    }),
  })

/** Executes each call in its own block. @returns the signatures */
function execute(rig: Rig, calls: readonly ReturnType<typeof call>[]): string[] {
  return calls.map(each => {
    rig.chain.advance()
    return rig.chain.execute([each], { mentions: [policy, userPayment] }).signature
  })
}

/** Hides a transaction from the lists of all nodes until the indexer reports the gap; then the gap must close. */
async function findsAndCloses(t: Tap, rig: Rig, hidden: string, reason: RegExp) {
  for (const node of rig.nodes) node.faults.missing = new Set([hidden])
  const service = await rig.start()
  await rig.settle()
  await service.waitForLog('indexer.counter-hole')
  await waitFor(async () => (await rig.controls('gap')).length > 0, { what: 'the gap' })
  t.match(await rig.controls('gap'), [{ body: { reason } }])
  t.notOk((await rig.events()).some(({ body }) => body.signature === hidden))
  for (const node of rig.nodes) node.faults.missing.clear()
  await waitFor(() => rig.gapsClosed(), { what: 'the gap to be closed', timeoutMs: 30_000 })
  t.equal((await rig.events()).filter(({ body }) => body.signature === hidden).length, 1)
}
type Tap = Pick<typeof t, 'match' | 'notOk' | 'equal'>

const RESCAN = { 'indexer.rescanEveryMs': '500' }

t.test('a missing last payment is found by the count in the account of its policy', async t => {
  const rig = await openRig(t, { nodes: 2, env: RESCAN })
  const paid = execute(
    rig,
    [1, 2, 3].map(recordId => pay('a', recordId, { payment_policy: policy })),
  )
  rig.chain.accounts.set(policy, policyAccount(3))
  await findsAndCloses(t, rig, paid[2]!, new RegExp(`record_id 3 of ${policy} was never seen`))
})

t.test('a missing policy is found by the next policy of its user payment', async t => {
  const rig = await openRig(t, { nodes: 2, env: RESCAN })
  const created = execute(rig, [1, 2, 3].map(createPolicy))
  await findsAndCloses(t, rig, created[1]!, new RegExp(`policy_id 2 of ${userPayment} was never seen`))
})

t.test('a direct transfer has no number: recent slots are listed again', async t => {
  const rig = await openRig(t)
  const direct = { payment_policy: '11111111111111111111111111111111' }
  const transfer = () => call('transfer', { log: paymentBytes('basket', 0, direct) })
  const [seen, late] = execute(rig, [transfer(), transfer()])
  rig.nodes[0]!.faults.missing = new Set([late!])
  await rig.start()
  await rig.settle()
  const foundSignatures = (await rig.events()).map(({ body }) => body.signature)
  t.same(foundSignatures, [seen])
  rig.nodes[0]!.faults.missing.clear()
  // Slots are listed again as soon as a new slot is final.
  rig.chain.advance()
  await waitFor(async () => (await rig.events()).length > 1, { what: 'the transfer that was listed late' })
  const allSignatures = (await rig.events()).map(({ body }) => body.signature)
  t.same(allSignatures, [seen, late])
})

t.test('a missing payment is found behind any number of transactions that name its policy', async t => {
  const rig = await openRig(t, { nodes: 2, env: { ...RESCAN, 'indexer.auditedAtOnce': '1' } })
  const recordOf = (recordId: number) => pay('a', recordId, { payment_policy: policy })
  const [, hidden] = execute(rig, [recordOf(1), recordOf(2)])
  for (let n = 0; n < PAGE + 5; n++) {
    if (n % 500 === 0) rig.chain.advance()
    rig.chain.execute([stranger()], { mentions: [policy] })
  }
  execute(rig, [recordOf(3)])
  const node = new ChainNode({ url: rig.nodes[0]!.url, name: 'a node', onRequest: () => {} })
  t.teardown(() => node.close())
  const all = { account: policy, fromSlot: 1, toSlot: rig.chain.tip }
  rig.chain.finalize()
  const sizes = []
  for (let listedTo: string | undefined; ;) {
    const { found, last } = await listAccount(node, { ...all, ...(listedTo && { listedTo }) }, 1)
    sizes.push(found.length)
    listedTo = last?.signature
    if (listedTo === undefined) break
  }
  t.same(sizes, [PAGE, 8, 0], 'a part holds one page')
  await findsAndCloses(t, rig, hidden!, new RegExp(`record_id 2 of ${policy} was never seen`))
})
