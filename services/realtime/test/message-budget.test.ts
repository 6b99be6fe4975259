import t from 'tap'
import { MessageBudget } from '../src/sockets/message-budget.js'

t.test('a burst at once, then the average; a client that continues is far over', async t => {
  const budget = new MessageBudget(10, 5, 0)
  const spend = (times: number, nowMs: number) =>
    Array.from({ length: times }, () => budget.spend(nowMs)).at(-1)
  t.equal(spend(5, 0), 'within')
  t.equal(spend(1, 0), 'over')
  t.equal(spend(4, 0), 'over')
  t.equal(spend(1, 0), 'far-over')
  t.equal(spend(1, 2_000), 'within', 'time earns it back')
  t.equal(spend(5, 1_000_000), 'within', 'but never more than a burst')
  t.equal(spend(1, 1_000_000), 'over')
})
