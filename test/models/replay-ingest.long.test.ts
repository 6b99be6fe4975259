// In one process with others: Quint.
import { INGEST_BOUNDS, replayIngest } from './replay/ingest.js'
import { testStoreReplays } from './replay/test-replay.js'

await testStoreReplays([
  {
    name: 'ingest',
    bounds: INGEST_BOUNDS,
    traces: 10,
    steps: 40,
    actions: 8,
    replay: replayIngest,
    breaks: [
      {
        name: 'a retraction leaves its events valid',
        find: 'update events e set retracted_at = clock_timestamp()',
        replace: 'update events e set retracted_at = null',
      },
      {
        name: '`seq` is given twice',
        find: 'on conflict (tracking_id) do update set head = excluded.head',
        replace: 'on conflict (tracking_id) do update set head = trackings.head',
      },
      {
        name: 'a redelivery is not recognised',
        find: 'from events where id = any(',
        replace: 'from events where false and id = any(',
      },
      {
        name: 'a promoted standby keeps the epoch of its primary',
        find: 'set epoch = gen_random_uuid()',
        replace: 'set epoch = epoch',
      },
    ],
  },
])
