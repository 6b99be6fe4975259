import type { ApiServer } from '../api-server.js'

const withoutWeakness = (tag: string): string => tag.replace(/^W\//, '')

/** Whether `if-none-match` (`*`, one tag or a list of tags) names an answer, by weak comparison (RFC 9110, 13.1.2). */
export function isNamed(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true
  const tags = ifNoneMatch.match(/(?:W\/)?"[^"]*"/g) ?? []
  return tags.some(tag => withoutWeakness(tag) === withoutWeakness(etag))
}

/** Answers 304 to a read when the client already has the answer. Must be called after the hook that makes the ETag. */
export function answerNotModified(app: ApiServer): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const etag = reply.getHeader('etag')
    const given = request.headers['if-none-match']
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (
      !isRead ||
      given === undefined ||
      typeof etag !== 'string' ||
      reply.statusCode !== 200 ||
      !isNamed(given, etag)
    ) {
      return done(null, payload)
    }
    void reply.code(304)
    done(null, '')
  })
}
