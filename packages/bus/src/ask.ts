// Questions from one process to another, on no stream. Nobody keeps them: who gets no answer asks again.
import { ErrorCode, NatsError, type NatsConnection } from 'nats'
import { BusUnavailableError } from './connection.js'

const ASK_WITHIN_MS = 10_000
/** In the answer of a process that could not answer; an answer is never empty. */
const FAILED = new Uint8Array(0)

/** @throws BusUnavailableError when nobody answers in time, or the answering process failed */
export async function ask(
  connection: NatsConnection,
  subject: string,
  bytes: Uint8Array,
): Promise<Uint8Array> {
  try {
    const { data } = await connection.request(subject, bytes, { timeout: ASK_WITHIN_MS })
    if (data.length > 0) return data
  } catch (cause) {
    const isNobody = cause instanceof NatsError && cause.code === (ErrorCode.NoResponders as string)
    throw new BusUnavailableError(`${isNobody ? 'nobody answers' : 'no answer in time to'} ${subject}`, {
      cause,
    })
  }
  throw new BusUnavailableError(`the process that answers ${subject} failed`)
}

export interface Answering {
  stop(): Promise<void>
}

/**
 * Answers questions, one at a time; of several processes that answer, one gets each.
 * @param answer its failure is passed to `onError`, and who asked is told that there is no answer
 */
export function answerQuestions(
  connection: NatsConnection,
  subject: string,
  answer: (bytes: Uint8Array) => Promise<Uint8Array>,
  onError: (error: Error) => void,
): Answering {
  const subscription = connection.subscribe(subject, { queue: 'answering' })
  const answering = (async () => {
    for await (const message of subscription) {
      try {
        message.respond(await answer(message.data))
      } catch (error) {
        message.respond(FAILED)
        onError(error as Error)
      }
    }
  })()
  return {
    stop: async () => {
      subscription.unsubscribe()
      await answering
    },
  }
}
