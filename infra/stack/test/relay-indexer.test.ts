// The sentences that the terminal shows for the indexer's log.
import { waitFor } from '@payment-tracking/testkit'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { relayIndexer } from '../src/launcher/relay-indexer.js'

t.test('new log lines become sentences, also after the log is rotated', async t => {
  const file = join(t.testdir(), 'indexer.log')
  const said: string[] = []
  const append = (...lines: object[]) =>
    appendFileSync(file, lines.map(line => `${JSON.stringify(line)}\n`).join(''))
  append({ msg: 'indexer.caught-up', through: 1 })
  const end = relayIndexer(file, line => said.push(line))
  t.teardown(end)
  append(
    { msg: 'indexer.listing', transactions: 3000, backToSlot: 390_000_123 },
    {
      msg: 'indexer.backfilling',
      transactions: 500,
      ofAbout: 3000,
      perSecond: 250,
      throughSlot: 390_000_200,
    },
    { msg: 'indexer.node-lagging', node: 'a.example', lagSlots: 150 },
    { msg: 'indexer.node-unfit', node: 'a.example', reason: 'a.example answered 429', cure: 'name another' },
    { msg: 'service.ready' },
  )
  appendFileSync(file, '{"msg":"indexer.caught-up",')
  await waitFor(() => said.length >= 4, { what: 'four sentences' })
  appendFileSync(file, '"through":2}\n')
  await waitFor(() => said.length >= 5, { what: 'the rest of a line' })
  writeFileSync(file, `${JSON.stringify({ msg: 'service.failed', err: { message: 'no such chain' } })}\n`)
  await waitFor(() => said.length >= 6, { what: 'a line of the new log' })
  t.same(said, [
    'chain: 3000 transactions listed, back to slot 390000123',
    'chain: 500 of about 3000 transactions read, 250 a second, through slot 390000200',
    'chain: node a.example is 150 slots behind the others',
    'chain: node a.example: a.example answered 429; name another',
    'chain: everything up to slot 2 is published',
    'chain: the indexer ends: no such chain',
  ])
})
