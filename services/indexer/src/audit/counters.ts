// The last number seen of each policy and user payment, kept in JetStream beside the checkpoint: a restart must not make
// a hole invisible. The counters lie in shards, so that a payment rewrites one small value. They are never newer than
// what is on the stream; where they are older, the next number looks like a hole, is listed again, and proves to be none.
import type { KeyValue } from '@payment-tracking/bus'
import { createHash } from 'node:crypto'

export interface Counter {
  last: number
  /** the slot of the transaction that held the number */
  slot: number
}

const SHARDS = 256
/** So many counters a shard holds at most; those that nothing happened to for longest are forgotten. */
const MOST_A_SHARD = 400

type Shard = Map<string, Counter>
/** A shard as it is stored; `forgot` says that an unknown account may be one that was forgotten. */
interface StoredShard {
  forgot: boolean
  counters: [account: string, last: number, slot: number][]
}

const keyOf = (shard: number): string => `counters.${shard}`
const shardOf = (account: string): number => createHash('sha1').update(account).digest()[0]! % SHARDS

export class Counters {
  readonly #shards: Shard[] = Array.from({ length: SHARDS }, (): Shard => new Map())
  readonly #forgot = new Set<number>()
  readonly #revisions = new Map<number, number>()
  readonly #dirty = new Set<number>()

  constructor(private readonly keys: KeyValue) {}

  /** Reads what the last holder of the lease saved. */
  async load(): Promise<void> {
    const read = async (shard: number) => {
      const entry = await this.keys.get(keyOf(shard))
      if (!entry) return
      this.#revisions.set(shard, entry.revision)
      if (entry.value === '') return
      const { forgot, counters } = JSON.parse(entry.value) as StoredShard
      if (forgot) this.#forgot.add(shard)
      for (const [account, last, slot] of counters) this.#shards[shard]!.set(account, { last, slot })
    }
    await Promise.all(Array.from({ length: SHARDS }, (_, shard) => read(shard)))
  }

  /** Writes the shards that changed. @throws RevisionConflictError when another indexer has written them */
  async save(): Promise<void> {
    const changed = [...this.#dirty]
    this.#dirty.clear()
    await Promise.all(
      changed.map(async shard => {
        const counters = [...this.#shards[shard]!].map(
          ([account, { last, slot }]): StoredShard['counters'][number] => [account, last, slot],
        )
        const stored: StoredShard = { forgot: this.#forgot.has(shard), counters }
        const revision = this.#revisions.get(shard) ?? 0
        this.#revisions.set(shard, await this.keys.set(keyOf(shard), JSON.stringify(stored), revision))
      }),
    )
  }

  get = (account: string): Counter | undefined => this.#shards[shardOf(account)]!.get(account)

  /** Whether an account without a counter was never seen, as far as is known. */
  isNew = (account: string): boolean => !this.#forgot.has(shardOf(account)) && !this.get(account)

  set(account: string, counter: Counter): void {
    const at = shardOf(account)
    const shard = this.#shards[at]!
    shard.delete(account)
    shard.set(account, counter)
    this.#dirty.add(at)
    if (shard.size <= MOST_A_SHARD) return
    const [oldest] = shard.keys()
    shard.delete(oldest!)
    this.#forgot.add(at)
  }

  delete(account: string): void {
    const at = shardOf(account)
    if (this.#shards[at]!.delete(account)) this.#dirty.add(at)
  }
}
