// A service of two parts and one intake, told by its first argument how to misbehave; run by lifecycle.test.ts.
import { createLogger, runService } from '../dist/index.js'

const [mode] = process.argv.slice(2)
// Through process.stdout, whose order holds to the very end: the test reads the order.
const log = createLogger('under-test', { LOG_LEVEL: 'info', ENVIRONMENT: 'production' }, process.stdout)
const config = {
  MANAGEMENT_HOST: '127.0.0.1',
  MANAGEMENT_PORT: 0,
  STOP_DEADLINE_MS: mode === 'hang' ? 300 : 5_000,
}
const closing = name => ({ close: () => log.info({ part: name }, 'part.closed') })

await runService(log, config, async context => {
  await context.own('first', () => closing('first'))
  await context.own('second', () => closing('second'))
  context.probe('dependency', () =>
    mode === 'away' ? Promise.reject(new Error('it is away')) : Promise.resolve(),
  )
  if (mode === 'fail-start') throw new Error('cannot open the third')
  context.intake('work', {
    start: () => log.info('intake.started'),
    stop: async () => {
      log.info('intake.stopping')
      if (mode === 'hang') await new Promise(() => setInterval(() => {}, 1000))
      await new Promise(resolve => setTimeout(resolve, 50))
      log.info('intake.done')
    },
  })
  if (mode === 'crash') setTimeout(() => Promise.reject(new Error('nobody caught this')), 50)
  if (mode === 'fail') setTimeout(() => context.fail(new Error('only a restart helps')), 50)
})
