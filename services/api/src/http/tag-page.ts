import type { FastifyReply } from 'fastify'
import type { RecordPage } from '@payment-tracking/store/reads'
import { VERSION } from '../version.js'

/**
 * Sets the ETag of a page of records. Weak: an answer is the same entity, compressed or not. Another release may write
 * the same records otherwise.
 */
export const tagPage = (reply: FastifyReply, { tag }: RecordPage): void =>
  void reply.header('etag', `W/"${VERSION}-${tag}"`)
