// One POST and its answer, by undici's low-level calls: undici's `request` makes a stream for each answer, which costs
// more than an answer that fits into one packet.
import type { Dispatcher } from 'undici'
import type { Deadline } from './deadlines.js'
import { AnswerTooLongError, BeginsLateError, nameAttemptError } from './errors.js'
import { keepBeginning, type KeptBody } from './read-response.js'

export interface Reply {
  statusCode: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

export interface Post {
  path: string
  headers: Record<string, string>
  body: string
}

/** Interim answers (1xx) to one request. */
const INTERIM_ANSWERS = 8

/**
 * Sends a request once. A request that was written to a broken connection is not written to another connection, because
 * the request may have arrived. A request that still waits for its connection moves to another connection.
 * @param beginByMs of `performance.now()`
 * @throws undici's connection errors, BeginsLateError, and an error when the deadline ends first
 */
export function post(
  dispatcher: Dispatcher,
  { path, headers, body }: Post,
  deadline: Deadline,
  beginByMs: number,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined
    let reply: (Omit<Reply, 'body'> & { kept: KeptBody }) | undefined
    let interim = 0
    const finish = () => {
      if (reply) resolve({ statusCode: reply.statusCode, headers: reply.headers, body: reply.kept.text() })
    }
    deadline.atEnd(() => {
      const calledOff = new Error('called off')
      reject(calledOff)
      controller?.abort(calledOff)
    })
    dispatcher.dispatch(
      { method: 'POST', path, headers, body },
      {
        onRequestStart: started => {
          controller = started
          // The request waited too long for its connection. undici writes nothing of the request.
          if (deadline.over !== null) started.abort(new Error('called off'))
          else if (performance.now() > beginByMs)
            started.abort(new BeginsLateError('the request begins too late'))
        },
        onResponseStart: (answering, statusCode, answered) => {
          if (statusCode >= 200) reply = { statusCode, headers: answered, kept: keepBeginning() }
          else if (++interim > INTERIM_ANSWERS)
            answering.abort(new AnswerTooLongError('too many interim answers'))
        },
        onResponseData: (receiving, chunk) => {
          if (reply?.kept.add(chunk) === 'enough') {
            finish()
            receiving.abort(new Error('the answer is longer than is read'))
          }
        },
        onResponseEnd: finish,
        onResponseError: (_, error) => {
          // A body that is longer than is read, or its framing, does not change the status.
          if (reply && nameAttemptError(error) === 'answer too long') finish()
          else reject(error)
        },
      },
    )
  })
}
