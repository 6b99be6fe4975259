// What the commands say of what they are given.
import { join } from 'node:path'
import { useNats } from '@payment-tracking/testkit'
import t from 'tap'
import { run } from './run-script.js'

t.test('publish-events reports a missing file in one line', async t => {
  const { code, output } = await run('operate', ['publish-events', 'no-such-file'], {
    NATS_URL: 'nats://127.0.0.1:1',
  })
  t.equal(code, 1)
  t.equal(output, 'cannot read no-such-file: there is no such file\n')
})

t.test('publish-events names the lines that will become dead letters, and the reasons', async t => {
  const nats = await useNats(t)
  const file = join(t.testdir({ events: 'rubbish\n{}\nmore rubbish\n' }), 'events')
  const { code, output } = await run('operate', ['publish-events', file], {
    NATS_URL: nats.url,
    STREAM_NAME: nats.stream,
    SUBJECT_PREFIX: nats.subjectPrefix,
  })
  t.equal(code, 0, output)
  t.match(output, 'published 3 messages; 3 of them will be refused and kept as dead letters')
  t.match(output, '2 NOT_JSON (first in line 1)')
  t.match(output, /\(first in line 2\)/)
})

t.test('publish-events publishes to the subjects that lines name, and names lines it cannot', async t => {
  const nats = await useNats(t)
  const manager = await nats.connection.jetstreamManager()
  await nats.addStream()
  const control = `${nats.subjectPrefix}.control.finalized`
  const lines = [
    { subject: control, message: { slot: 390_000_001 } },
    { subject: 'orders.created', message: {} },
    { subject: `${nats.subjectPrefix}.control.*`, message: {} },
    { subject: 7, message: {} },
    { subject: control, message: { slot: 'soon' } },
  ]
  const file = join(t.testdir({ events: lines.map(line => JSON.stringify(line)).join('\n') }), 'events')
  const { code, output } = await run('operate', ['publish-events', file], {
    NATS_URL: nats.url,
    STREAM_NAME: nats.stream,
    SUBJECT_PREFIX: nats.subjectPrefix,
  })
  t.equal(code, 1, output)
  t.match(output, 'published 2 messages; 1 of them will be refused and kept as dead letters')
  t.match(output, '1 BAD_CONTROL (first in line 5)')
  for (const line of [2, 3, 4])
    t.match(
      output,
      `not published: line ${line}: "subject" must be below ${nats.subjectPrefix}, such as ${control}`,
    )
  const first = await manager.streams.getMessage(nats.stream, { seq: 1 })
  t.equal(first.subject, control)
  t.strictSame(first.json(), { slot: 390_000_001 }, 'the message without the line around it')
  t.equal((await manager.streams.info(nats.stream)).state.messages, 2)
})

t.test('jwt-keys makes no keys of a kind that it does not know', async t => {
  const { code, output } = await run('operate', ['jwt-keys', 'chekout'])
  t.equal(code, 2)
  t.match(
    output,
    /^there are no keys of the kind "chekout"\nusage: npm run --silent operate -- jwt-keys \[checkout\]\n/,
  )
  t.match((await run('operate', ['jwt-keys', 'checkout'])).output, /^CHECKOUT_TOKEN_KEYS='\{"keys":\[/)
})
