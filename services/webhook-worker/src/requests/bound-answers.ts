import type { Socket } from 'node:net'
import { AnswerTooLongError } from './errors.js'

/**
 * The most bytes of a connection that the answer to one request may take: status lines, headers, framing and interim answers
 * included. undici bounds headers alone, and hands on the bodies alone.
 */
export const ANSWER_BYTES = 131_072

/** Ends a connection when the answer to the request that was written last takes more bytes than it may. */
export function boundAnswers(socket: Socket): void {
  let written = 0
  let read = 0
  let spent = 0
  const spend = (bytes: number) => {
    // Another request was written since: its answer begins.
    if (socket.bytesWritten !== written) spent = 0
    written = socket.bytesWritten
    spent += bytes
    if (spent > ANSWER_BYTES) socket.destroy(new AnswerTooLongError('the answer takes too many bytes'))
  }
  socket.on('readable', () => {
    spend(socket.bytesRead - read)
    read = socket.bytesRead
  })
  // A ticket of TLS is no byte of an answer.
  socket.on('session', (ticket: Buffer) => spend(ticket.length))
}
