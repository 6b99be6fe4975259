import type { ApiServer } from '../api-server.js'
import { ApiError } from './api-errors.js'

/** Refuses compressed bodies: all bodies here are small, and a compressed body could be a decompression bomb. */
export function refuseEncodedBodies(app: ApiServer): void {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const encoding = request.headers['content-encoding'] ?? 'identity'
    if (encoding.toLowerCase() === 'identity') return done(null, payload)
    done(new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Bodies with a content-encoding are not taken.'))
  })
}
