import type { FastifyRequest } from 'fastify'

/** What a `host` header may hold here: anybody can write it, and the document repeats it. */
const HOST = /^(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/**
 * The address by which the client reached this server. Tools that import the document into another place, such as Postman,
 * need it: to them, `/` is no server.
 */
export const baseUrlOf = ({ protocol, host }: FastifyRequest): string =>
  HOST.test(host) ? `${protocol}://${host.toLowerCase()}` : '/'
