import { hash } from 'node:crypto'
import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import cors from '@fastify/cors'
import etag from '@fastify/etag'
import { readAllowedOrigins } from '@payment-tracking/runtime'
import type { ApiServer } from '../api-server.js'
import type { Reads } from '@payment-tracking/store/reads'
import { answerNotModified } from './answer-not-modified.js'
import { UNKNOWN_NAME_HEADER } from './mark-unknown-name.js'
import { IGNORED_HEADER } from './ignore-unknown-parameters.js'
import { chooseDatabase } from './choose-database.js'
import { addSecurityHeaders } from './security-headers.js'

/** The response headers that a browser's script may read. */
const EXPOSED_HEADERS = [
  'age',
  'etag',
  'link',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'retry-after',
  'x-epoch',
  IGNORED_HEADER,
  'x-next-cursor',
  'x-position',
  'x-request-id',
  UNKNOWN_NAME_HEADER,
]
/** Compressing a smaller answer saves nothing. */
const COMPRESS_FROM_BYTES = 1_024

/**
 * An enveloped answer without its sending time, which changes while the data stay the same; other answers unchanged.
 */
const dataOf = (payload: string | Buffer): string | Buffer =>
  typeof payload === 'string'
    ? (/^(\{"success":true,"data":[^]*),"timestamp":\d+\}$/.exec(payload)?.[1] ?? payload)
    : payload

/** Adds CORS, security headers, ETags and compression to every later route. */
export async function addPlugins(
  app: ApiServer,
  { corsOrigin, reads }: { corsOrigin: string; reads: Reads },
): Promise<void> {
  await app.register(cors, {
    origin: readAllowedOrigins(corsOrigin),
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 86_400,
    strictPreflight: false,
  })
  addSecurityHeaders(app)
  // Weak: an answer is the same entity, compressed or not.
  await app.register(etag, {
    weak: true,
    replyWith304: false,
    hashFn: payload => hash('sha1', dataOf(payload), 'base64'),
  })
  chooseDatabase(app, reads)
  answerNotModified(app)
  await app.register(compress, {
    threshold: COMPRESS_FROM_BYTES,
    encodings: ['br', 'gzip'],
    // The best compression ratio costs a hundred times the CPU of a good ratio.
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
    // A compressed body could be a decompression bomb, and all bodies here are small.
    globalDecompression: false,
  })
}
