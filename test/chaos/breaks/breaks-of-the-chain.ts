// Breaks of what is promised of every kind of payment, of finality and retraction, and of a database that lost commits.
import type { Break } from './breaks.js'

export const BREAKS_OF_THE_CHAIN: readonly Break[] = [
  {
    name: 'take the transfers of a transaction for one',
    patches: [
      {
        file: 'packages/domain/dist/messages/read-message.js',
        find: ' && effect.policy !== DIRECT_TRANSFER_POLICY',
        replace: '',
      },
    ],
    faults: [],
    caughtAs: /^events: PaymentRecord .* is not stored$/,
  },
  {
    name: 'never tell a payment whose policy came late',
    patches: [
      {
        file: 'packages/store/dist/ingest/tell-batch.js',
        find: '(await collectPayments(tx, differences)), ...late]',
        replace: '(await collectPayments(tx, differences))]',
      },
    ],
    faults: [],
    caughtAs: /^deliveries: .* has none for webhook /,
  },
  {
    name: 'give a payment whose policy came late no tracking ID',
    patches: [
      {
        file: 'packages/store/dist/ingest/derive-payments.js',
        find: 'const completes = row.tracked_id !== null;',
        replace: 'const completes = false;',
      },
    ],
    faults: [],
    caughtAs: /^events: ComposableExecuted .*: tracking ID is null/,
  },
  {
    name: 'leave what was retracted in the projections',
    patches: [
      {
        file: 'packages/store/dist/ingest/refold-causes.js',
        find: 'for (const event of retracted)\n',
        replace: 'for (const event of [])\n',
      },
    ],
    faults: [],
    caughtAs: /^(policies|payment_stats|payment_token_stats): .* it should be /,
  },
  {
    name: 'leave what was retracted in the counts',
    patches: [
      {
        file: 'packages/store/dist/ingest/figures.js',
        find: 'names: names.map(row => ({ ...row, count: -row.count }))',
        replace: 'names: names.map(row => ({ ...row, count: 0 * row.count }))',
      },
    ],
    faults: [],
    caughtAs: /^event_counts: /,
  },
  {
    name: 'forget what came again before its retraction',
    patches: [
      {
        file: 'packages/store/dist/ingest/identify.js',
        find: 'const received = [...retracted.accepted, ...batch.received];',
        replace: 'retracted.accepted = [];\n    const received = [...batch.received];',
      },
    ],
    faults: [],
    caughtAs: /^events: PaymentRecord .* is not stored$/,
  },
  {
    name: 'tell webhooks of what is not final',
    patches: [
      {
        file: 'packages/domain/dist/deliveries/route.js',
        find: "'told when final, not final': 'await-finality'",
        replace: "'told when final, not final': 'send'",
      },
    ],
    faults: [],
    caughtAs: /^finality: .* before its payment was final$/,
  },
  {
    name: 'keep dead letters for no time',
    patches: [
      {
        file: 'packages/store/dist/retention/prune.js',
        find: 'const isOld = age(retention);',
        replace: 'const isOld = age({ ...retention, deadLetterDays: 0 });',
      },
    ],
    faults: [],
    caughtAs: /^dead letters: .* is missing/,
  },
  {
    name: 'notice nothing of what the stream discarded',
    patches: [
      {
        file: 'services/ingest/dist/recovery/gap-watch.js',
        find: 'const missed = findMissedMessages(now, this.#before);',
        replace: 'const missed = null;',
      },
    ],
    faults: [{ kind: 'discard', target: 'nats', atMs: 3_000 }],
    caughtAs: /^gaps: sequence \d+ was discarded unread/,
  },
  {
    // The fault of ours that isolation is for stands in for the next one that nobody foresees.
    name: 'send the batch of a poisoned message back',
    patches: [
      {
        file: 'packages/store/dist/ingest/commit-batch.js',
        find: 'const folded = foldBatch(',
        replace:
          "if (fresh.some(({ event }) => event.name === 'SomethingNew'))\n        throw new TypeError('a bug');\n    const folded = foldBatch(",
      },
      {
        file: 'services/ingest/dist/pipeline/store-batch.js',
        find: 'const parts = splitBatch(batch);',
        replace: 'throw error;\n        const parts = splitBatch(batch);',
      },
    ],
    faults: [],
    caughtAs: /^rest: a stream without lag /,
  },
  {
    name: 'tell a payment before its policy',
    patches: [
      {
        file: 'packages/store/dist/ingest/tell-batch.js',
        find: '(!awaitsPolicy || completed.has(event.id))',
        replace: 'true',
      },
    ],
    faults: [],
    // The key of deliveries refuses to tell it again, so the first, incomplete body stays.
    caughtAs: /^deliveries: .* says trackingId null; it should be /,
  },
  {
    name: 'tell no socket of a retraction',
    patches: [
      {
        file: 'packages/redis/dist/fanout/announce-payments.js',
        find: 'for (const payment of retractions) {',
        replace: 'for (const payment of []) {',
      },
      {
        file: 'services/realtime/dist/rooms/retraction-healer.js',
        find: 'async look(epoch) {\n',
        replace: 'async look(epoch) {\n        return;\n',
      },
    ],
    faults: [],
    caughtAs: /^sockets: .* was not told that seq \d+ was retracted$/,
  },
  {
    name: 'tell no webhook of a retraction',
    patches: [
      {
        file: 'packages/store/dist/webhooks/forget.js',
        find: '= any(w.event_types)',
        replace: '= any(w.event_types) and false',
      },
    ],
    faults: [],
    caughtAs: /^deliveries: webhook .* was never told that .* was retracted$/,
  },
  {
    name: 'forget the highest final slot',
    patches: [
      {
        file: 'packages/store/dist/ingest/finality.js',
        find: 'tx.send(sql `update stream_head set finalized_slot = ${slot} where id = 1`);',
        replace: '',
      },
    ],
    faults: [],
    caughtAs: /^finality: slot 0 is taken for final; it should be /,
  },
  {
    name: 'read nothing again after a loss of commits',
    patches: [
      {
        file: 'services/ingest/dist/recovery/database-guard.js',
        find: '#beginReingest({ epoch, reingestFrom }) {\n',
        replace: '#beginReingest({ epoch, reingestFrom }) {\n        return;\n',
      },
    ],
    faults: [{ kind: 'promote-standby', target: 'postgres', lostMs: 2_500, atMs: 4_000 }],
    caughtAs: /^events: .* is not stored$/,
  },
  {
    name: 'keep the epoch of a database that lost commits',
    patches: [
      {
        file: 'packages/store/dist/ingest/verify-database.js',
        find: 'const change = findChange(head, present, record);',
        replace: 'const change = null;',
      },
    ],
    faults: [{ kind: 'promote-standby', target: 'postgres', lostMs: 2_500, atMs: 4_000 }],
    caughtAs: /^(events: .* is not stored|client: .* never handed over|sockets: .* never knew of seq )/,
  },
  {
    name: 'tell a passed due date again and again',
    patches: [
      {
        file: 'packages/store/dist/webhooks/tell-due.js',
        find: 'and n.type = k.type and n.at = k.at)',
        replace: 'and n.type = k.type and n.at = k.at and false)',
      },
      {
        file: 'packages/store/dist/webhooks/tell-due.js',
        find: 'on conflict do nothing',
        replace:
          'on conflict (policy, incarnation_start, type, at) do update set told_at = clock_timestamp()',
      },
      {
        file: 'packages/store/dist/webhooks/tell-due.js',
        find: 'key: String(dueAt)',
        replace: 'key: String(dueAt) + Math.random()',
      },
      {
        file: 'packages/store/dist/webhooks/tell-due.js',
        find: 'set next_look = ${nextLookOf(margins)}',
        replace: 'set next_look = 0',
      },
    ],
    faults: [],
    caughtAs: /^life cycle: subscription\.overdue of .* was told \d+ times$/,
  },
  {
    name: 'never look at due dates',
    patches: [
      {
        file: 'services/webhook-worker/dist/maintenance/maintenance-tasks.js',
        find: 'const told = await tellDuePolicies(store, {',
        replace: 'const told = 0; void ({',
      },
    ],
    faults: [],
    caughtAs: /^life cycle: subscription\.overdue of .* was never told$/,
  },
  {
    name: 'tell nothing of what happens to policies',
    patches: [
      {
        file: 'packages/store/dist/ingest/tell-batch.js',
        find: 'tell(tx, { payments, lifecycles,',
        replace: 'tell(tx, { payments, lifecycles: [],',
      },
    ],
    faults: [],
    caughtAs: /^life cycle: subscription\.(created|paused|resumed|deleted|completed) of .* was never told$/,
  },
]
