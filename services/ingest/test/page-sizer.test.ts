// Sizes of the pages of an upgrade, on simulated machines.
import t from 'tap'
import { PageSizer } from '../src/recovery/page-sizer.js'

/** @returns the mean duration and the mean share of the last pages */
function play(sizer: PageSizer, pages: number, durationOf: (share: number, page: number) => number) {
  const last: { ms: number; share: number }[] = []
  for (let page = 0; page < pages; page++) {
    const { share } = sizer
    const ms = durationOf(share, page)
    if (page >= pages / 2) last.push({ ms, share })
    sizer.record(ms)
  }
  const mean = (pick: (page: { ms: number; share: number }) => number) =>
    last.reduce((sum, page) => sum + pick(page), 0) / last.length
  return { ms: mean(({ ms }) => ms), share: mean(({ share }) => share) }
}

t.test('pages become as large as live messages may wait for', async t => {
  t.equal(play(new PageSizer(), 40, share => 2 + 60 * share).share, 1, 'cheap rows')
  const costly = play(new PageSizer(), 200, share => 2 + 1_000 * share)
  t.ok(costly.ms < 100 && costly.ms > 30, `costly rows: pages of ${costly.ms} ms`)
})

t.test('pages stop shrinking when smaller pages take as long', async t => {
  const starved = play(new PageSizer(), 200, share => 300 + 100 * share)
  t.ok(starved.share > 0.7, `a mean share of ${starved.share}`)
  t.ok(starved.ms < 450, `pages of ${starved.ms} ms`)
})

t.test('the size follows a load that comes, varies and goes', async t => {
  const sizer = new PageSizer()
  play(sizer, 40, share => 2 + 60 * share)
  const noisy = (page: number) => 1 + ((page * 7) % 5) / 5
  const loaded = play(sizer, 300, (share, page) => noisy(page) * (300 + 100 * share))
  t.ok(loaded.share > 0.3, `loaded: a mean share of ${loaded.share}`)
  t.equal(play(sizer, 300, share => 2 + 60 * share).share, 1, 'and again without load')
})
