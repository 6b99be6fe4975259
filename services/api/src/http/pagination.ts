import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Tells a client of a list where its next page begins, in `x-next-cursor` and in `link` with the same query.
 * The link is relative to the host, so that it holds behind any proxy.
 */
export function offerNextPage(request: FastifyRequest, reply: FastifyReply, cursor: string): void {
  const [path, query = ''] = request.url.split('?', 2) as [string, string?]
  const kept = query.split('&').filter(part => part !== '' && !/^(cursor|offset)(=|$)/.test(part))
  const next = `${path}?${[...kept, `cursor=${cursor}`].join('&')}`
  // What a client sent goes into a header only as far as it is plain ASCII that cannot end the link.
  const safe = next.replace(/[^\x21-\x7e]|[<>"\\]/g, character => encodeURIComponent(character))
  void reply.header('x-next-cursor', cursor).header('link', `<${safe}>; rel="next"`)
}
