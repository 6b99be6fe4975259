// The last seen number of each policy and user payment, stored in JetStream beside the checkpoint, so that a restart
// cannot hide a hole. Shards hold the counters, so that a payment rewrites one small value. Counters are never newer
// than the stream. An older counter makes the next number look like a hole; the indexer then lists the account again
// and finds no hole.
import type { KeyValue } from '@payment-tracking/bus'
import { createHash } from 'node:crypto'

export interface Counter {
  last: number
  /** the slot of the transaction that held the number */
  slot: number
}

const SHARDS = 256
/** The most counters in a shard. Beyond this, the counters without recent changes are removed. */
const MOST_A_SHARD = 400

type Shard = Map<string, Counter>
/** A stored shard; `forgot` marks that an unknown account may have been removed. */
interface StoredShard {
  forgot: boolean
  counters: [account: string, last: number, slot: number][]
}

const shardKey = (shard: number): string => `counters.${shard}`

let lastShard = { account: '', shard: 0 }
/** An event asks for its account several times in a row, and a hash costs microseconds. */
function shardOf(account: string): number {
  if (lastShard.account !== account)
    lastShard = { account, shard: createHash('sha1').update(account).digest()[0]! % SHARDS }
  return lastShard.shard
}

export class Counters {
  readonly #shards: Shard[] = Array.from({ length: SHARDS }, (): Shard => new Map())
  readonly #forgot = new Set<number>()
  readonly #revisions = new Map<number, number>()
  readonly #dirty = new Set<number>()

  constructor(private readonly keys: KeyValue) {}

  /** Reads the counters that the previous lease holder saved. */
  async load(): Promise<void> {
    const read = async (shard: number) => {
      const entry = await this.keys.get(shardKey(shard))
      if (!entry) return
      this.#revisions.set(shard, entry.revision)
      if (entry.value === '') return
      const { forgot, counters } = JSON.parse(entry.value) as StoredShard
      if (forgot) this.#forgot.add(shard)
      for (const [account, last, slot] of counters) this.#shards[shard]!.set(account, { last, slot })
    }
    await Promise.all(Array.from({ length: SHARDS }, (_, shard) => read(shard)))
  }

  /** Writes the changed shards. @throws RevisionConflictError when another indexer has written them */
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
        this.#revisions.set(shard, await this.keys.set(shardKey(shard), JSON.stringify(stored), revision))
      }),
    )
  }

  get = (account: string): Counter | undefined => this.#shards[shardOf(account)]!.get(account)

  /** Whether an account without a counter is new, as far as the shard shows. */
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
