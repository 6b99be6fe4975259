import t from 'tap'
import { WalHistory } from '../../../src/reads/replicas/wal-history.js'

t.test('a replica is as old as the last moment at which it had replayed all', t => {
  const history = new WalHistory(1_000)
  t.equal(history.lagMs(5n), Infinity, 'before the primary was seen')
  history.note(10n, 0)
  history.note(20n, 100)
  history.note(30n, 200)
  t.equal(history.lagMs(30n), 0)
  t.equal(history.lagMs(31n), 0)
  t.equal(history.lagMs(29n), 100)
  t.equal(history.lagMs(10n), 200)
  t.equal(history.lagMs(9n), Infinity)
  history.note(30n, 5_000)
  t.equal(history.lagMs(30n), 0, 'nothing is written for a while')
  t.ok(history.lagMs(29n) > 1_000, 'and a replica that lacks something is as old as that')
  history.clear()
  t.equal(history.lagMs(30n), Infinity)
  t.end()
})

t.test('a history stays short, and tells lags of its span apart', t => {
  const history = new WalHistory(1_000)
  for (let at = 0; at <= 60_000; at++) history.note(BigInt(at), at)
  for (const lag of [100, 500, 900]) {
    const measured = history.lagMs(BigInt(60_000 - lag))
    t.ok(measured >= lag && measured <= lag + 50, `${lag} ms behind is told as ${measured}`)
  }
  t.ok(history.lagMs(58_000n) > 1_000)
  t.end()
})
