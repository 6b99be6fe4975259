import { Type, type Static, type TObject } from 'typebox'
import { Secret, ServerUrl } from '../config.js'
import { describeTls } from './tls.js'

const tls = describeTls('NATS')

/** The settings of a process that uses NATS; spread into a service's schema. */
export const NatsConfig = {
  NATS_URL: ServerUrl(
    'nats|tls',
    'NATS with JetStream, as nats://user:password@host:4222; several servers, comma separated',
  ),
  NATS_CREDS: Type.Optional(Secret('path of a NATS credentials file')),
  NATS_TLS_CA: tls.ca,
  NATS_TLS_CERT: tls.cert,
  NATS_TLS_KEY: tls.key,
}
export type NatsConfig = Static<TObject<typeof NatsConfig>>

/** The settings of a process that makes the stream where there is none. */
export const StreamCopies = {
  STREAM_REPLICAS: Type.Integer({
    default: 1,
    minimum: 1,
    maximum: 5,
    description:
      'copies of each message, for who makes the stream; 3 in a cluster of three servers, the same for ingest and indexer',
  }),
}
