import t from 'tap'
import { agree } from '../src/funds/agree.js'

const account = (balance: bigint) => ({
  program: 'program',
  mint: 'mint',
  owner: 'owner',
  balance,
  delegate: null,
  allowance: 0n,
  frozen: false,
})

t.test('what all nodes say that are not behind is agreed, up to the slot of the last of them', async t => {
  const answers = [
    { slot: 1_000, said: [account(5n), null, account(2n ** 64n - 1n)] },
    { slot: 1_009, said: [account(5n), null, account(2n ** 64n - 2n)] },
  ]
  t.same(agree(answers, 3, 0), [
    { slot: 1_000, nodes: 2, said: account(5n) },
    { slot: 1_000, nodes: 2, said: null },
    undefined,
  ])
  t.same(agree(answers.slice(0, 1), 1, 0), [{ slot: 1_000, nodes: 1, said: account(5n) }], 'other away')
  t.same(agree([], 2, 0), [undefined, undefined], 'all are away')
})

t.test('a node that is behind the others, or behind what is final, says nothing', async t => {
  const lagging = { slot: 849, said: [account(1n)] }
  const fresh = { slot: 1_000, said: [account(5n)] }
  t.same(agree([lagging, fresh], 1, 0), [{ slot: 1_000, nodes: 1, said: account(5n) }])
  t.same(agree([{ ...lagging, slot: 850 }, fresh], 1, 0), [undefined], 'a minute behind: a contradiction')
  t.same(agree([lagging, { ...lagging, slot: 840 }], 1, 1_000), [undefined], 'all are behind')
})
