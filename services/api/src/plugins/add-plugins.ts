import { hash } from 'node:crypto'
import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import cors from '@fastify/cors'
import etag from '@fastify/etag'
import type { ApiServer } from '../api-server.js'
import { answerNotModified } from '../plugins/answer-not-modified.js'
import { addSecurityHeaders } from './security-headers.js'

/** What a browser's script may read of an answer. */
const EXPOSED_HEADERS = [
  'etag',
  'link',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'retry-after',
  'x-next-cursor',
  'x-request-id',
]
/** Below this a compressed answer saves nothing. */
const COMPRESS_FROM_BYTES = 1_024

/** `*` or a list of origins. */
const readOrigins = (setting: string): string | string[] =>
  setting.trim() === '*' ? '*' : setting.split(',').map(origin => origin.trim())

/** An enveloped answer without its time of sending, which changes when nothing else does; others as they are. */
const dataOf = (payload: string | Buffer): string | Buffer =>
  typeof payload === 'string'
    ? (/^(\{"success":true,"data":[^]*),"timestamp":\d+\}$/.exec(payload)?.[1] ?? payload)
    : payload

/** CORS, security headers, ETags and compression for every route that is added after. */
export async function addPlugins(app: ApiServer, { corsOrigin }: { corsOrigin: string }): Promise<void> {
  await app.register(cors, {
    origin: readOrigins(corsOrigin),
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 86_400,
    strictPreflight: false,
  })
  addSecurityHeaders(app)
  // Weak: the same answer is one entity, compressed or not.
  await app.register(etag, {
    weak: true,
    replyWith304: false,
    hashFn: payload => hash('sha1', dataOf(payload), 'base64'),
  })
  answerNotModified(app)
  await app.register(compress, {
    threshold: COMPRESS_FROM_BYTES,
    encodings: ['br', 'gzip'],
    // The best ratio costs a hundred times the CPU of a good one.
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
    // A compressed body could be a bomb; nothing here takes bodies worth compressing.
    globalDecompression: false,
  })
}
