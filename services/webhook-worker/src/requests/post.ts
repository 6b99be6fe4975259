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

/** One for all: where it was thrown says nothing, and under load it is thrown often. */
const BEGINS_LATE = new BeginsLateError('the request begins too late')

/** Interim answers (1xx) to one request. */
const INTERIM_ANSWERS = 8

/**
 * Sends a request once. A request that was written to a broken connection is not written to another connection, because
 * the request may have arrived. A request that still waits for its connection moves to another connection.
 * @param mayBegin asked when there is a connection
 * @throws undici's connection errors, BeginsLateError, and an error when the deadline ends first
 */
export function post(
  dispatcher: Dispatcher,
  { path, headers, body }: Post,
  deadline: Deadline,
  mayBegin: () => boolean,
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
          // The request waited too long for its connection. After an error here, undici writes nothing and keeps the connection;
          // `abort` would end it, and under load each new connection would be late again.
          if (deadline.over !== null) throw new Error('called off')
          if (!mayBegin()) throw BEGINS_LATE
          controller = started
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
