import fc from 'fast-check'
import t from 'tap'
import { readControlMessage } from '../src/index.js'
import { hold } from './hold.js'
import { bytesOf, keyOf, SIGNATURE } from './messages.js'

const read = (kind: string, body: unknown) => readControlMessage(kind, bytesOf(body))

t.test('each kind is read into what it says', async t => {
  const finalized = read('finalized', { slot: 9007199254740991n, ignored: 1 })
  t.same(finalized, { ok: true, control: { kind: 'finalized', slot: 9007199254740991 } })
  const retracted = read('retracted', { signature: SIGNATURE, slot: 5 })
  t.same(retracted, { ok: true, control: { kind: 'retracted', signature: SIGNATURE, slot: 5 } })
  t.same(read('gap', { fromSlot: 5, toSlot: 5, reason: 'log \0truncated', bytes: 'AQI=' }), {
    ok: true,
    control: {
      kind: 'gap',
      signature: null,
      fromSlot: 5,
      toSlot: 5,
      reason: 'log truncated',
      bytes: Buffer.from([1, 2]),
      closed: false,
    },
  })
  const closedGap = read('gap', { signature: SIGNATURE, fromSlot: 5, toSlot: 6, closed: true })
  t.match(closedGap, { ok: true, control: { signature: SIGNATURE, reason: '', closed: true } })
})

const FUNDS = { tokenAccount: keyOf(1), slot: 9, exists: true, balance: '18446744073709551615', nodes: 2 }

t.test('a token account is read with every digit; of a missing one nothing else is kept', async t => {
  const seen = {
    kind: 'funds',
    tokenAccount: keyOf(1),
    slot: 9,
    exists: true,
    owner: keyOf(2),
    mint: keyOf(3),
    balance: 18446744073709551615n,
    delegate: keyOf(4),
    allowance: 5n,
    frozen: true,
    others: null,
    nodes: 2,
  }
  const whole = { ...FUNDS, owner: keyOf(2), mint: keyOf(3), delegate: keyOf(4), allowance: 5, frozen: true }
  t.same(read('funds', whole), { ok: true, control: seen })
  const literal = Buffer.from(JSON.stringify(whole).replace('"18446744073709551615"', '18446744073709551615'))
  t.same(readControlMessage('funds', literal), { ok: true, control: seen }, 'as a literal')
  t.same(read('funds', FUNDS), {
    ok: true,
    control: { ...seen, owner: null, mint: null, delegate: null, allowance: null, frozen: false },
  })
  t.same(read('funds', { ...whole, others: 'usable' }), { ok: true, control: seen }, 'it is there itself')
  for (const others of ['usable', 'frozen', 'none', null, undefined] as const)
    t.same(read('funds', { ...whole, exists: false, others }), {
      ok: true,
      control: {
        ...seen,
        exists: false,
        balance: null,
        delegate: null,
        allowance: null,
        frozen: false,
        others: others ?? null,
      },
    })
})

t.test('other kinds and malformed ones are refused', async t => {
  const gap = { fromSlot: 5, toSlot: 6, reason: 'x' }
  for (const [kind, body] of [
    ['replayed', { slot: 5 }],
    ['finalized', { slot: 'soon' }],
    ['finalized', { slot: 0 }],
    ['finalized', []],
    ['finalized', 'no json'],
    ['retracted', { slot: 5 }],
    ['retracted', { signature: 'abc', slot: 5 }],
    ['retracted', { signature: SIGNATURE }],
    ['gap', { reason: 'x' }],
    ['gap', { ...gap, toSlot: 4 }],
    ['gap', { ...gap, reason: 5 }],
    ['gap', { ...gap, reason: undefined }],
    ['gap', { ...gap, bytes: 'not base64' }],
    ['gap', { ...gap, closed: 'yes' }],
    ['gap', { ...gap, signature: 'abc' }],
    ['funds', { ...FUNDS, tokenAccount: 'abc' }],
    ['funds', { ...FUNDS, tokenAccount: undefined }],
    ['funds', { ...FUNDS, slot: 0 }],
    ['funds', { ...FUNDS, exists: 'yes' }],
    ['funds', { ...FUNDS, exists: undefined }],
    ['funds', { ...FUNDS, balance: undefined }],
    ['funds', { ...FUNDS, balance: '18446744073709551616' }],
    ['funds', { ...FUNDS, balance: -1 }],
    ['funds', { ...FUNDS, balance: '1.5' }],
    ['funds', { ...FUNDS, delegate: 5 }],
    ['funds', { ...FUNDS, mint: '' }],
    ['funds', { ...FUNDS, frozen: 1 }],
    ['funds', { ...FUNDS, exists: false, others: 'many' }],
    ['funds', { ...FUNDS, exists: false, others: true }],
    ['funds', { ...FUNDS, nodes: 0 }],
    ['funds', { ...FUNDS, nodes: undefined }],
  ] as const) {
    const result = read(kind, body)
    t.equal(result.ok ? 'accepted' : result.refusal.code, 'BAD_CONTROL', `${kind} ${JSON.stringify(body)}`)
  }
})

t.test('no bytes make the reader throw', async t => {
  const kinds = fc.constantFrom('finalized', 'retracted', 'gap', 'funds', '')
  hold(
    t,
    'control messages',
    fc.property(
      kinds,
      fc.oneof(
        fc.uint8Array(),
        fc.json().map(text => Buffer.from(text)),
      ),
      (kind, bytes) => {
        readControlMessage(kind, bytes)
      },
    ),
    300,
  )
})
