import { isEventNameKnown } from '@payment-tracking/store/reads'
import type { FastifyReply, FastifyRequest } from 'fastify'

export const UNKNOWN_NAME_HEADER = 'x-unknown-event-name'

/**
 * For answers that found nothing: names an event name of which no event was ever stored, which may be a misspelt one. To
 * refuse it would be wrong: its first event may be on its way.
 */
export async function markUnknownName(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string | undefined,
): Promise<void> {
  if (name !== undefined && !(await isEventNameKnown(request.store, name)))
    void reply.header(UNKNOWN_NAME_HEADER, name)
}
