// Which rows of the gate count as fallen.
import t from 'tap'
import { BESIDE_EXPECTATIONS, bestOf, findFallen, findMissing } from './gate/judge.js'

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
