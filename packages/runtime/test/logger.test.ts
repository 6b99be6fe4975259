import t from 'tap'
import { createLogger } from '../src/index.js'

function open(config: Parameters<typeof createLogger>[1]) {
  const lines: string[] = []
  return { lines, log: createLogger('test', config, { write: line => lines.push(line) }) }
}

t.test('no secret reaches a log line, wherever it stands', async t => {
  const { lines, log } = open({ LOG_LEVEL: 'trace', ENVIRONMENT: 'devnet' })
  log.info({ secret: 'hunter2', webhook: { secret: 'hunter2', id: 7 } }, 'webhook.created')
  log.info(
    { req: { headers: { authorization: 'Bearer hunter2', cookie: 'hunter2' } }, token: 'hunter2' },
    'request',
  )
  log.error(
    { err: new Error('no answer from redis://u:hunter2@h:1', { cause: new Error('nats://x:hunter2@h') }) },
    'lost',
  )
  const text = lines.join('')
  t.notMatch(text, /hunter2/)
  t.match(text, /"id":7/)
  t.match(text, /"environment":"devnet"/)
})

t.test('an error keeps its code and its causes', async t => {
  const { lines, log } = open({ LOG_LEVEL: 'info', ENVIRONMENT: 'production' })
  log.warn(
    { err: Object.assign(new Error('outer', { cause: new Error('inner') }), { code: 'X_1' }) },
    'failed',
  )
  const line = JSON.parse(lines[0]!) as { level: string; err: { code: string; cause: { message: string } } }
  t.equal(line.level, 'warn')
  t.equal(line.err.code, 'X_1')
  t.equal(line.err.cause.message, 'inner')
})

t.test('a memo that turned the direction of writing turned a log line', async t => {
  const { lines, log } = open({ LOG_LEVEL: 'info', ENVIRONMENT: 'production' })
  const trackingId = 'order-7\u202e\u200b\u3164\u009b31m 🍕'
  log.info({ trackingId, err: new Error(trackingId) }, trackingId)
  t.match(lines[0], /^[\x20-\x7e]+\n$/)
  const logged = JSON.parse(lines[0]!)
  t.match(logged, { trackingId, msg: trackingId, err: { message: trackingId } }, 'no text is lost')
})
