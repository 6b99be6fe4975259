// How rows are named, and which rows of the gate count as fallen.
import t from 'tap'
import { BESIDE_EXPECTATIONS, bestOf, findFallen, findMissing } from './gate/judge.js'
import { keyOf } from './report.js'

t.test('a row has one name in every run', async t => {
  const key = (subject: string, unit = 'ms') => keyOf({ bench: 'b', subject, unit })
  t.equal(key('count, 1 connection (p50 0 ms, p99 1 ms)'), key('count, 1 connection (p50 1 ms, p99 3 ms)'))
  t.equal(
    key('revenue (4 policies, 9 payments; 7 rows read)'),
    key('revenue (4 policies, 9 payments; 8 rows read)'),
  )
  t.equal(key('insert an event, 16 indexes'), key('insert an event, 17 indexes'))
  t.not(key('a backlog', 'events/s'), key('a backlog', 'MiB at most'))
  t.not(key('count, 1 connection'), key('count, 50 connections'))
})

t.test('a row falls by losing more than a quarter of its ratio', async t => {
  const table = { lists: 0.8, push: 1 }
  t.same(findFallen({ lists: 0.61, push: 2 }, table), [])
  t.same(findFallen({ lists: 0.59, push: 1 }, table), ['lists'])
  t.same(findFallen({ lists: 0.59, push: 1 }, table, 0.5), [], 'or more than asked for')
  const beside = (ratio: number) =>
    findFallen({ [BESIDE_EXPECTATIONS]: ratio }, { [BESIDE_EXPECTATIONS]: 1.2 })
  t.same([beside(0.98), beside(0.96)], [[], [BESIDE_EXPECTATIONS]], 'or more than is promised')
  t.same(findFallen({ lists: Number.NaN, push: 1 }, table), ['lists'], 'nothing measured is no success')
  t.same(findFallen({ lists: 1, push: 1, new: 1 }, table), ['new'], 'the table names every row')
  t.same(findMissing({ lists: 1 }, table), ['push'])
  t.same(bestOf({ lists: 0.5, push: 1 }, { lists: 0.7 }), { lists: 0.7, push: 1 }, 'measured twice')
})
