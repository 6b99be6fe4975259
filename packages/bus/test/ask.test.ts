import { createLogger } from '@payment-tracking/runtime'
import { useNats } from '@payment-tracking/testkit'
import t from 'tap'
import { openBus } from '../src/index.js'

t.test('one of several processes answers a question, and a failure is told', async t => {
  const nats = await useNats(t)
  const log = createLogger('test', { LOG_LEVEL: 'silent', ENVIRONMENT: 'production' })
  const open = async () => {
    const bus = await openBus({ NATS_URL: nats.url }, 'ask', log)
    t.teardown(() => bus.close())
    return bus
  }
  const [asking, ...answering] = [await open(), await open(), await open()]
  const subject = `ASK.${nats.stream}`
  const ask = async (text: string) => Buffer.from(await asking.ask(subject, Buffer.from(text))).toString()
  await t.rejects(ask('anybody?'), { code: 'BUS_UNAVAILABLE', message: `nobody answers ${subject}` })
  const errors: string[] = []
  let asked = 0
  const stops = answering.map(bus =>
    bus.answer(
      subject,
      bytes => {
        asked += 1
        const text = Buffer.from(bytes).toString()
        return text === 'fail'
          ? Promise.reject(new Error('planned'))
          : Promise.resolve(Buffer.from(`${text}!`))
      },
      error => errors.push(error.message),
    ),
  )
  for (const bus of answering) await bus.ping()
  t.same(await Promise.all(['a', 'b', 'c'].map(ask)), ['a!', 'b!', 'c!'])
  t.equal(asked, 3, 'each question is answered once')
  await t.rejects(ask('fail'), { code: 'BUS_UNAVAILABLE' })
  t.same(errors, ['planned'])
  t.equal(await ask('again'), 'again!', 'the next question is answered')
  await Promise.all(stops.map(answer => answer.stop()))
  for (const bus of answering) await bus.ping()
  await t.rejects(ask('gone?'), { message: `nobody answers ${subject}` })
})
