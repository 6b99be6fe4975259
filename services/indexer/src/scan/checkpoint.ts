import type { KeyValue } from '@payment-tracking/bus'
import { ServiceError } from '@payment-tracking/runtime'
import type { OpenGaps } from '../audit/open-gaps.js'

/**
 * The published part of the finalized chain. Everything up to `through` is acknowledged by the stream, or reported as a
 * gap.
 */
export interface Checkpoint {
  genesisHash: string
  programId: string
  /** a finalized slot */
  through: number
  /** the chain's finalized slot when the checkpoint was written, for people who look */
  finalizedSlot: number
  /** the slot of the program's first transaction, once a list has reached it */
  firstSlot: number | null
  /** the slot of the newest listed transaction */
  knownSlot: number | null
  /** messages published at `confirmed` that are not final yet come after this sequence */
  streamSequence: number
  /** whether the indexer has seen every transaction of the program, so that its counters begin at 1 */
  fromTheBeginning: boolean
  /** gaps that may still close */
  open: OpenGaps
}

/** The checkpoint belongs to another chain or program than the settings. */
export class CheckpointMismatchError extends ServiceError {
  readonly code = 'CHECKPOINT_MISMATCH'
  readonly retry = 'never'
}

const KEY = 'checkpoint'

/** The highest slot that is published; 0 without a checkpoint. */
export async function readCheckpointSlot(keys: Pick<KeyValue, 'get'>): Promise<number> {
  const entry = await keys.get(KEY)
  return entry?.value ? (JSON.parse(entry.value) as Checkpoint).through : 0
}

/** The checkpoint in JetStream, written by compare-and-set: a leader without lease cannot change it. */
export class CheckpointStore {
  #revision = 0

  constructor(private readonly keys: KeyValue) {}

  /** @throws CheckpointMismatchError when the checkpoint belongs to another chain or program */
  async load(genesisHash: string, programId: string): Promise<Checkpoint | undefined> {
    const entry = await this.keys.get(KEY)
    this.#revision = entry?.revision ?? 0
    if (!entry || entry.value === '') return undefined
    const checkpoint = JSON.parse(entry.value) as Checkpoint
    if (checkpoint.genesisHash !== genesisHash || checkpoint.programId !== programId) {
      throw new CheckpointMismatchError(
        `the checkpoint is of program ${checkpoint.programId} on the chain ${checkpoint.genesisHash}, the settings ` +
          `name ${programId} on ${genesisHash}: give each chain a stream of its own (STREAM_NAME)`,
      )
    }
    return checkpoint
  }

  /** @throws RevisionConflictError when another indexer has moved it */
  async save(checkpoint: Checkpoint): Promise<void> {
    this.#revision = await this.keys.set(KEY, JSON.stringify(checkpoint), this.#revision)
  }
}
