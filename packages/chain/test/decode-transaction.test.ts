// Honest and hostile logs. test/chain runs the same cases in a real virtual machine.
import bs58 from 'bs58'
import t from 'tap'
import { readMessage } from '@payment-tracking/domain'
import {
  buildEventMessage,
  buildGapMessage,
  decodeTransaction,
  writeEventBytes,
  type ChainTransaction,
} from '../src/index.js'
import { buildTransaction, dataLine, PROGRAM, STRANGER, type Call } from './build-log.js'

const key = (fill: number) => bs58.encode(Buffer.alloc(32, fill))
const payment = (recordId: number, amount = '18446744073709551615') =>
  writeEventBytes('PaymentRecord', {
    payment_policy: key(1),
    gateway: key(2),
    amount,
    timestamp: '1780000000',
    memo: [...Buffer.alloc(64, 'm')],
    record_id: recordId,
    payer: key(3),
    recipient: key(4),
    token_mint: key(5),
  })
const referral = writeEventBytes('ReferralRewardDistributedRecord', {
  payment_policy: key(1),
  gateway: key(2),
  payment_amount: '5',
  timestamp: '1780000000',
  rewards: [{ pubkey: key(6), reward: '1' }, null, null],
})
const pays = (...does: Call['does'] & object): Call => ({
  program: PROGRAM,
  instruction: 'execute_payment',
  does,
})
const decode = (calls: Call[], changes?: Partial<ChainTransaction>) =>
  decodeTransaction(buildTransaction(calls, changes), PROGRAM)
const shown = (calls: Call[], changes?: Partial<ChainTransaction>) => {
  const { events, gaps } = decode(calls, changes)
  return {
    events: events.map(({ name, index }) => `${index} ${name}`),
    gaps: gaps.map(({ reason, index }) => (index === undefined ? reason : `${index} ${reason}`)),
  }
}
const NOTHING = { events: [], gaps: [] }

t.test('logs of a stranger are ignored, wherever they stand', async t => {
  const forged = dataLine(payment(9))
  const stranger = (...does: Call['does'] & object): Call => ({ program: STRANGER, does })
  t.same(shown([stranger(forged)]), NOTHING)
  t.same(shown([stranger(forged), pays(dataLine(payment(1))), stranger(forged)]).events, ['0 PaymentRecord'])
  t.same(shown([pays(stranger(forged), dataLine(payment(1)), stranger(forged))]).events, ['0 PaymentRecord'])
  t.same(shown([stranger(forged, pays(dataLine(payment(1))), forged)]).events, ['0 PaymentRecord'])
})

t.test('text is never a line of the log', async t => {
  const text = [
    `Program log: Program ${PROGRAM} invoke [2]`,
    `Program log: ${dataLine(payment(9))}`,
    `Program log: \nProgram ${PROGRAM} invoke [2]\n${dataLine(payment(9))}\nProgram ${PROGRAM} success`,
    `Program log: Program ${STRANGER} success`,
    `Program return: ${PROGRAM} ${Buffer.from(payment(9)).toString('base64')}`,
  ]
  t.same(shown([{ program: STRANGER, does: text }]), NOTHING)
  t.same(shown([pays(...text, dataLine(payment(1)))]), { events: ['0 PaymentRecord'], gaps: [] })
})

t.test('after the mark of truncation nothing is trusted, and the call is a gap', async t => {
  const calls = [pays(dataLine(payment(1))), pays('Log truncated', dataLine(payment(2)))]
  t.same(shown(calls), { events: ['0 PaymentRecord'], gaps: ['LOG_TRUNCATED'] })
  t.ok(decode(calls).nodeMayBeUnfit)
  const hidden: Call[] = [
    { program: STRANGER, does: ['Program log: spam', 'Log truncated'] },
    { program: PROGRAM, instruction: 'delete_payment_policy' },
  ]
  t.same(shown(hidden), { events: [], gaps: ['LOG_TRUNCATED'] })
})

t.test('a node without logs, or with logs of another shape, is unfit', async t => {
  const calls = [pays(dataLine(payment(1)))]
  t.same(shown(calls, { logMessages: null }), { events: [], gaps: ['NO_LOG'] })
  t.same(shown(calls, { logMessages: [] }), { events: [], gaps: ['LOG_MALFORMED'] })
  const { logMessages } = buildTransaction(calls)
  t.same(shown(calls, { logMessages: logMessages!.slice(0, -1) }).gaps, ['LOG_MALFORMED'])
  t.same(shown(calls, { logMessages: logMessages!.slice(1) }), { events: [], gaps: ['LOG_MALFORMED'] })
  const foreign = buildTransaction([{ program: STRANGER, does: [pays(dataLine(payment(9)))] }])
  t.same(shown(calls, { logMessages: foreign.logMessages }), { events: [], gaps: ['LOG_MALFORMED'] })
  for (const changes of [{ logMessages: null }, { logMessages: [] }])
    t.ok(decode(calls, changes).nodeMayBeUnfit)
})

t.test('inner instructions that were not recorded make a node unfit', async t => {
  const called = buildTransaction([{ program: STRANGER, does: [pays(dataLine(payment(1)))] }])
  const instructions = called.instructions.map(({ instruction }) => ({ instruction, inner: [] }))
  const decoded = decodeTransaction({ ...called, instructions, hasInnerInstructions: false }, PROGRAM)
  t.match(decoded, { events: [], gaps: [{ reason: 'NO_INNER_INSTRUCTIONS' }], nodeMayBeUnfit: true })
})

t.test('calls that the log shows and the instructions lack are a gap', async t => {
  const inside = buildTransaction([
    { program: STRANGER, does: [pays(dataLine(payment(1))), pays(dataLine(payment(2)))] },
  ])
  const [{ instruction, inner }] = inside.instructions as [(typeof inside.instructions)[0]]
  for (const left of [[], inner.slice(0, 1), inner.slice(1)]) {
    const decoded = decodeTransaction({ ...inside, instructions: [{ instruction, inner: left }] }, PROGRAM)
    const isGap = decoded.gaps.some(({ reason }) => reason === 'LOG_MALFORMED')
    t.ok(isGap, `${left.length} of 2 calls`)
    t.ok(decoded.nodeMayBeUnfit)
  }
  const flat = buildTransaction([pays(dataLine(payment(1)))], { hasInnerInstructions: false })
  t.match(decodeTransaction(flat, PROGRAM), { events: [{ name: 'PaymentRecord' }], gaps: [] })
})

t.test('an unreadable line is a gap with its bytes, and uses its index', async t => {
  const long = Buffer.concat([payment(1), Buffer.of(0)])
  const unknown = Buffer.alloc(40, 3)
  for (const [line, reason, bytes] of [
    [dataLine(payment(1), payment(2)), 'NOT_ONE_SLICE', Buffer.concat([payment(1), payment(2)])],
    ['Program data: ', 'EMPTY', Buffer.alloc(0)],
    ['Program data: %%%', 'EMPTY', Buffer.from('%%%')],
    [dataLine(long), 'UNKNOWN_LAYOUT', long],
    [dataLine(unknown), 'UNKNOWN_EVENT', unknown],
  ] as const) {
    const { events, gaps, nodeMayBeUnfit } = decode([pays(line), pays(dataLine(payment(2)))])
    t.match(gaps, [{ reason, index: 0 }], reason)
    t.same(gaps[0]!.bytes, bytes)
    t.match(events, [{ index: 1 }])
    t.notOk(nodeMayBeUnfit, 'every node logged the same')
  }
})

t.test('an instruction must emit exactly its events', async t => {
  t.same(shown([pays()]).gaps, ['EVENT_MISSING'])
  t.same(shown([pays(dataLine(referral))]).gaps, ['EVENT_MISSING'])
  const twoPayments = shown([pays(dataLine(payment(1)), dataLine(payment(2)))])
  t.same(twoPayments, { events: ['0 PaymentRecord', '1 PaymentRecord'], gaps: ['EVENT_UNEXPECTED'] })
  t.same(shown([{ program: PROGRAM, instruction: 'create_referral_account' }]), NOTHING)
  const noInstruction = shown([{ program: PROGRAM, does: [dataLine(payment(1))] }])
  t.same(noInstruction, { events: ['0 PaymentRecord'], gaps: ['UNKNOWN_INSTRUCTION'] })
})

t.test('before 2025-10-27 only payments were events', async t => {
  const blockTime = 1_761_523_199
  t.same(shown([{ program: PROGRAM, instruction: 'create_payment_policy' }], { blockTime }), NOTHING)
  t.same(shown([pays()], { blockTime }).gaps, ['EVENT_MISSING'])
  t.same(shown([{ program: PROGRAM, instruction: 'create_payment_policy' }]).gaps, ['EVENT_MISSING'])
})

t.test('precompiles leave no line, other built-in programs do', async t => {
  const calls = [{ program: STRANGER }, pays(dataLine(payment(1)))]
  const transaction = buildTransaction(calls)
  const precompile = { programId: 'Ed25519SigVerify111111111111111111111111111', data: '1', stackHeight: 1 }
  const instructions = [{ instruction: precompile, inner: [] }, ...transaction.instructions]
  const atItsPlace = decodeTransaction({ ...transaction, instructions }, PROGRAM)
  t.match(atItsPlace, { events: [{ name: 'PaymentRecord', instructionIndex: 2 }], gaps: [] })
})

t.test('a message meets the contract, and the service reads it', async t => {
  const transaction = buildTransaction([pays(dataLine(payment(3)))])
  const [event] = decodeTransaction(transaction, PROGRAM).events
  const text = buildEventMessage(transaction, event!, PROGRAM, 'finalized')
  t.match(JSON.parse(text), {
    slot: 390_000_000,
    program_id: PROGRAM,
    index: 0,
    transaction_index: 12,
    instruction_index: 0,
    inner_index: null,
    commitment: 'finalized',
    event_name: 'PaymentRecord',
    data: { amount: '18446744073709551615', record_id: 3 },
    timestamp: '2026-05-28T20:26:40.000Z',
  })
  const read = readMessage(Buffer.from(text), { programId: PROGRAM, requireProgramId: true })
  t.ok(read.ok, read.ok ? '' : read.refusal.reason)
})

t.test('the gaps of a transaction are one message', async t => {
  const transaction = buildTransaction([pays(dataLine(Buffer.alloc(9, 1))), pays()])
  const { gaps } = decodeTransaction(transaction, PROGRAM)
  t.match(JSON.parse(buildGapMessage(transaction, gaps)), {
    signature: transaction.signature,
    fromSlot: transaction.slot,
    toSlot: transaction.slot,
    reason: 'UNKNOWN_EVENT (index 0, instruction 0); EVENT_MISSING execute_payment (instruction 1)',
  })
})
