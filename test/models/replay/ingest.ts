// The actions of ingest.qnt as the store's functions, and the database as the model sees it.
import { commitBatch, markReingested } from '@payment-tracking/store/ingest'
import type { Bounds } from '../plans.js'
import {
  batchOf,
  COPY,
  EMPTY,
  PROMOTE,
  signatureOf,
  slotOf,
  verify,
  type ChainPosition,
} from './chain-database.js'
import { differenceOf, replaySteps } from './replay-steps.js'
import type { Lane } from './test-replay.js'
import type { TraceStep, TraceValue } from './walk-model.js'

export const INGEST_BOUNDS: Bounds = { LOSSES: '1', CRASHES: '3' }

/** The messages of the model. */
const MESSAGES: Record<number, ChainPosition> = {
  1: { kind: 'payment', tx: 1, slot: 1 },
  2: { kind: 'payment', tx: 2, slot: 2 },
  3: { kind: 'retracted', tx: 1, slot: 1 },
  4: { kind: 'payment', tx: 1, slot: 3 },
}

/** Replays one trace in a database that no other trace uses meanwhile. @returns null, or the first step after which the rows differ */
export async function replayIngest(
  { store, database: { pool } }: Lane,
  trace: readonly TraceStep[],
): Promise<string | null> {
  await pool.query(EMPTY)
  const { serverRun } = await verify(store)
  let before: TraceValue = null
  const epochs = new Map<number, string>()
  const actions: Record<string, (step: TraceStep) => Promise<unknown>> = {
    receive: () => Promise.resolve(),
    lock: () => Promise.resolve(),
    async commit({ picks, state }) {
      const { message } = before.writers[picks.w]
      await commitBatch(store, { ...batchOf(MESSAGES[message]!, message), serverRun })
      // The reader of the stream has stored everything again.
      if (before.db.again.length > 0 && state.db.again.length === 0) {
        const { rows } = await pool.query<{ epoch: string }>('select epoch::text from stream_head')
        await markReingested(store, rows[0]!.epoch)
      }
    },
    acknowledge: () => Promise.resolve(),
    crash: () => Promise.resolve(),
    verify: () => verify(store),
    copy: () => pool.query(COPY),
    promote: () => pool.query(PROMOTE),
  }

  const read = async () => {
    const { rows } = await pool.query<{ found: TraceValue }>(
      `select json_build_object(
         'head', (select position from stream_head), 'epoch', (select epoch from stream_head),
         'again', (select reingest_from is not null from stream_head),
         'seqs', coalesce((select max(head) from trackings), 0),
         'events', coalesce((select json_agg(array[position::text, seq::text, signature, slot::text,
                                                   (retracted_at is not null)::text] order by position) from events), '[]'),
         'retractions', coalesce((select json_agg(signature || slot order by signature, slot) from retractions), '[]'),
         'letters', coalesce((select json_agg(distinct stream_sequence order by stream_sequence) from dead_letters
                               where replayed_at is null), '[]')) as found`,
    )
    return rows[0]!.found
  }
  const expected = ({ db }: TraceValue, epoch: string) => ({
    head: db.head,
    epoch,
    again: db.again.length > 0,
    seqs: db.seqs,
    events: db.events
      .sort((a: TraceValue, b: TraceValue) => a.position - b.position)
      .map(({ position, seq, tx, slot, retracted }: TraceValue) =>
        [position, seq, signatureOf(tx), slotOf(slot), retracted].map(String),
      ),
    retractions: db.retractions.map(([tx, slot]: number[]) => `${signatureOf(tx!)}${slotOf(slot!)}`).sort(),
    letters: db.letters.sort((a: number, b: number) => a - b),
  })

  return replaySteps(trace, async step => {
    await actions[step.action]!(step)
    const found = await read()
    const { epoch } = step.state.db
    // Each epoch of the model is one of the database, and no two are the same.
    if (!epochs.has(epoch) && ![...epochs.values()].includes(found.epoch)) epochs.set(epoch, found.epoch)
    const [is, shouldBe] = [
      JSON.stringify(found),
      JSON.stringify(expected(step.state, epochs.get(epoch) ?? '')),
    ]
    before = step.state
    return differenceOf(is, shouldBe)
  })
}
