import type { Metrics } from '@payment-tracking/runtime'
import type { ApiServer } from '../api-server.js'
import type { ApiTunables } from '../tunables.js'
import { addStream, type StreamOptions } from './add-stream.js'

export const streamRoutes = (
  app: ApiServer,
  {
    tunables,
    metrics,
    ...parts
  }: Pick<StreamOptions, 'store' | 'tokens' | 'log' | 'redis'> & { tunables: ApiTunables; metrics: Metrics },
): Promise<void> =>
  addStream(app, {
    ...parts,
    maxConnections: tunables.streamsPerAddress,
    checkEveryMs: tunables.checkEveryMs,
    pingEveryMs: tunables.streamPingEveryMs,
    stallMs: tunables.streamStallMs,
    sockets: metrics.gauge('stream_sockets', 'open sockets of the stream of all events'),
  })
