// Ways to break the system on purpose: changes to the built files of a copy, each with the faults that reveal the
// break, and with the differences that chaos must report. A text that is not found is an error: the product has
// changed, and the break must follow.
import type { FaultStep } from '../plan/fault-plan.js'

export interface Patch {
  /** below the root of the copy */
  file: string
  find: string
  replace: string
}

export interface Break {
  name: string
  patches: Patch[]
  faults: FaultStep[]
  /** One of the differences must look like this. */
  caughtAs: RegExp
}

const pauseRealtime = (replica: 1 | 2, atMs: number): FaultStep => ({
  kind: 'pause',
  target: `realtime-${replica}`,
  forMs: 6_500,
  atMs,
})
const killServer = (target: 'postgres' | 'redis', atMs: number, forMs = 1_500): FaultStep => ({
  kind: 'kill-server',
  target,
  forMs,
  atMs,
})
const slowIngest = (replica: 1 | 2): FaultStep => ({
  kind: 'slow',
  target: `ingest-${replica}`,
  server: 'postgres',
  forMs: 9_000,
  atMs: 500,
})

export const BREAKS: readonly Break[] = [
  {
    name: 'acknowledge before commit',
    patches: [
      {
        file: 'packages/bus/dist/consumer.js',
        find: 'let redeliver;\n',
        replace: 'let redeliver;\n        for (const message of batch) message.ack();\n',
      },
    ],
    faults: [
      killServer('postgres', 2_000),
      { kind: 'kill', target: 'ingest-1', atMs: 5_000 },
      killServer('postgres', 8_000),
    ],
    caughtAs: /^events: .* is not stored$/,
  },
  {
    name: 'no dedupe',
    patches: [
      {
        file: 'packages/domain/dist/messages/identity.js',
        find: "digest(['payment', signature, policy, recordId])",
        replace: "digest(['payment', signature, policy, recordId, Math.random()])",
      },
    ],
    faults: [],
    caughtAs: /^events: .* is stored twice$/,
  },
  {
    name: 'count duplicates in a projection',
    patches: [
      {
        file: 'packages/store/dist/ingest/commit-batch.js',
        find: 'await writeFolded(tx, numbered, folded);',
        replace:
          "await writeFolded(tx, numbered, folded);\n    if (numbered.length === 0)\n        (await import('./figures.js')).addToFigures(tx, batch.received.map(({ event }) => event), []);",
      },
    ],
    faults: [],
    caughtAs: /^(policies|event_counts|payment_stats): .* it should be /,
  },
  {
    name: 'announce before commit',
    patches: [
      {
        file: 'packages/store/dist/ingest/commit-batch.js',
        find: 'tx => writeBatch(tx, batch)',
        replace:
          'async tx => { const committed = await writeBatch(tx, batch); await globalThis.announceNow(committed); return committed; }',
      },
      {
        file: 'services/ingest/dist/main.js',
        find: 'const sinks = ',
        replace:
          'globalThis.announceNow = ({ payments, epoch }) => redis.announce({ payments, epoch }).catch(() => {});\n    const sinks = ',
      },
    ],
    faults: [slowIngest(1), slowIngest(2)],
    caughtAs: /^push: .* before it was stored$/,
  },
  {
    name: "forget ingest's sweeper",
    patches: [
      {
        file: 'services/ingest/dist/outbox-relay/sweeper.js',
        find: 'start = () => this.#sweeps.start();',
        replace: 'start = () => {};',
      },
    ],
    faults: [killServer('redis', 2_000), killServer('redis', 6_000)],
    caughtAs: /^batches: .* was not relayed$/,
  },
  {
    name: "forget the worker's sweeper",
    patches: [
      {
        file: 'services/webhook-worker/dist/maintenance/maintenance-tasks.js',
        find: 'const swept = await sweep();',
        replace: 'const swept = 0;',
      },
    ],
    faults: [2, 4, 5, 6, 7, 8, 9, 10].map(second => ({
      kind: 'flush',
      target: 'redis',
      atMs: second * 1_000,
    })),
    caughtAs: /^deliveries: .* is still (pending|waiting) /,
  },
  {
    name: 'lose the fence of the leases',
    patches: [
      {
        file: 'services/realtime/dist/app.js',
        find: 'mayDeliver: () => seats.mayDeliver()',
        replace: 'mayDeliver: () => true',
      },
    ],
    faults: [pauseRealtime(1, 1_000), pauseRealtime(2, 9_500), pauseRealtime(1, 18_000)],
    caughtAs: /^seats: /,
  },
  {
    name: 'forget to heal rooms',
    patches: [
      {
        file: 'services/realtime/dist/rooms/healer.js',
        find: 'async #heal(room) {\n',
        replace: 'async #heal(room) {\n        return;\n',
      },
    ],
    faults: [
      killServer('redis', 2_000, 2_000),
      { kind: 'stall', target: 'realtime-1', server: 'redis', forMs: 2_000, atMs: 6_000 },
      { kind: 'cut', target: 'realtime-1', server: 'redis', atMs: 7_500 },
      { kind: 'cut', target: 'realtime-2', server: 'redis', atMs: 8_500 },
    ],
    caughtAs: /^sockets: .* never knew of seq /,
  },
  {
    name: 'reuse a webhook id',
    patches: [
      {
        file: 'packages/domain/dist/deliveries/delivery-message.js',
        find: "`msg_${eventId.replaceAll(/[^A-Za-z0-9]/g, '')}${digest}`",
        replace: "`msg_${eventId.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, 1)}`",
      },
    ],
    faults: [],
    caughtAs: /^deliveries: .* has none for webhook /,
  },
  {
    name: 'another id for each attempt',
    patches: [
      {
        file: 'services/webhook-worker/dist/requests/send-delivery.js',
        find: 'id: delivery.messageId',
        replace: 'id: `${delivery.messageId}${delivery.attempt}`',
      },
    ],
    faults: [],
    caughtAs: /^requests: .* which is no delivery of its own$/,
  },
  {
    name: 'drop a dead letter',
    patches: [
      {
        file: 'packages/store/dist/ingest/dead-letters.js',
        find: 'if (refused.length === 0)',
        replace:
          "refused = refused.filter(({ code }) => code !== 'CONFLICT');\n    if (refused.length === 0)",
      },
    ],
    faults: [],
    caughtAs: /^dead letters: .* is missing/,
  },
  {
    name: 'send before the attempt is on record',
    patches: [
      {
        file: 'packages/store/dist/webhooks/claim-deliveries.js',
        find: 'select "attemptId", id, attempt from claimed\n',
        replace: 'select "attemptId", id, attempt from claimed where attempt > 1\n',
      },
    ],
    faults: [],
    caughtAs: /^attempts: request .* are on record$/,
  },
]
