// A release that raises the version of the rules: ingest folds everything again in pages, while messages come in.
// In one process with others: what tests load.
import { createLogger } from '@payment-tracking/runtime'
import type { CommittedLifecycle } from '@payment-tracking/contracts'
import type { CommittedChanges } from '@payment-tracking/store/ingest'
import { dumpProjections, openTestStore, readFixtureMessages, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { TaskLoop } from '../src/recovery/task-loop.js'
import { ingestMessages, PROGRAM } from './ingest-messages.js'

const messages = await readFixtureMessages()

/** Every state, fact and figure that an earlier rule could have made otherwise. */
const MADE_OTHERWISE = `
  update stream_head set projection_version = 0;
  update policies set payment_count = payment_count + 1, total_paid = 7, status = 'earlier', due_at = 5;
  update user_payments set token_mint = null;
  update gateways set signer = null, signer_order = null;
  update events set payer = null, token_mint = null where amount is not null;
  update payment_token_stats set total = total + 1;
  update payment_token_stats set min = 0 where span > 0 and start = (select max(start) from payment_token_stats);
  update event_counts set count = count + 1`

t.test('rows that earlier rules made follow the new rules, and messages go on meanwhile', async t => {
  const [first, last] = [messages.slice(0, -60), messages.slice(-60)]
  const reference = await openTestStore(t)
  await ingestMessages(reference.store, messages)
  const { store, database } = await openTestStore(t)
  const announced: CommittedChanges[] = await ingestMessages(store, first)
  await database.pool.query(MADE_OTHERWISE)

  const relayed: CommittedChanges[] = []
  const loop = new TaskLoop({
    store,
    programId: PROGRAM.programId,
    log: createLogger('test', { LOG_LEVEL: 'silent', ENVIRONMENT: 'production' }),
    guard: { serverRun: () => serverRunOf() },
    relay: { start: changes => void relayed.push(...changes) },
  })
  const serverRunOf = async () => {
    const { rows } = await database.pool.query<{ server: string }>(
      'select extract(epoch from pg_postmaster_start_time())::text as server',
    )
    return rows[0]!.server
  }
  loop.start()
  t.teardown(() => loop.stop())
  announced.push(...(await ingestMessages(store, last, { batchSize: 3, firstSequence: first.length + 1 })))
  const isDone = async () => {
    const { rows } = await database.pool.query(
      'select 1 from stream_head where projection_version > 0 and not exists (select from work)',
    )
    return rows.length === 1
  }
  await waitFor(isDone, { what: 'the last page', timeoutMs: 240_000 })
  t.strictSame(await dumpProjections(database.pool), await dumpProjections(reference.database.pool))
  const again = relayed.flatMap(({ payments, deliveries }) => [...payments, ...deliveries])
  t.same(again, [], 'no payment is announced again')
  const lifecyclesOf = (changes: readonly CommittedChanges[]) =>
    changes.flatMap(({ lifecycles }) => lifecycles)
  const ids = lifecyclesOf([...announced, ...relayed]).map(({ id }) => id)
  t.equal(new Set(ids).size, ids.length, 'and no event of a policy')
  // A last message can be of a policy that is not rebuilt yet. Then the rebuild's page announces it, and not its own batch.
  const lastText = last.map(bytes => Buffer.from(bytes).toString()).join()
  const isNew = ({ data }: CommittedLifecycle) =>
    lastText.includes((JSON.parse(data) as { signature: string }).signature)
  const old = lifecyclesOf(relayed).filter(each => !isNew(each))
  t.same(old, [], 'nothing of long ago is announced')
})
