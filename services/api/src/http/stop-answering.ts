import type { ApiServer } from '../api-server.js'
import { ApiError } from './api-errors.js'

/** Refuses requests during the stop, and closes connections that were busy when it began. */
export function stopAnswering(app: ApiServer): void {
  let isStopping = false
  app.addHook('preClose', done => {
    isStopping = true
    done()
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    // A connection that was busy when the stop began would stay alive, and the stop would wait for it.
    if (isStopping) void reply.header('connection', 'close')
    done()
  })
  app.addHook('onRequest', (_request, _reply, done) => {
    done(isStopping ? new ApiError('STOPPING', 'This instance is stopping. Please try again.') : undefined)
  })
}
