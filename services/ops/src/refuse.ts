import { errorAnswer } from '@payment-tracking/runtime'
import type { FastifyReply } from 'fastify'

/** Answers a refusal in the common shape of all HTTP services. */
export function refuse(reply: FastifyReply, status: number, code: string, sentence: string): FastifyReply {
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(errorAnswer({ status, code, sentence }, reply.request.id))
}
