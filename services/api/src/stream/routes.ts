import type { AddFolder } from '../parts.js'
import { addStream } from './add-stream.js'

export const streamRoutes: AddFolder = (app, { tunables, metrics, ...parts }) =>
  addStream(app, {
    ...parts,
    maxConnections: tunables.streamsPerAddress,
    pingEveryMs: tunables.streamPingEveryMs,
    stallMs: tunables.streamStallMs,
    sockets: metrics.gauge('stream_sockets', 'open sockets of the stream of all events'),
  })
