// Chooses the database of each read: a replica that knows enough, or else the primary. A reader that names a position
// never gets an answer that knows less. Without replicas the primary is asked, and nothing runs in the background.
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunRead } from '../../core/database/database.js'
import { HeadTracker, type Head } from '../../core/database/head-tracker.js'
import type { Store } from '../../core/database/open-store.js'
import { NotYetError, StoreUnavailableError } from '../../core/errors.js'
import { Fleet } from './fleet.js'
import type { Replica } from './replica.js'

export interface ReadWish {
  /** the position that the answer must know; undefined: any */
  atLeast?: bigint | undefined
  /** whether a replica may answer */
  replicas: boolean
}

/** A read that has begun: its database, and what the answer surely knows. */
export interface Reading {
  store: Store
  /** @returns undefined when a database that was asked lost commits meanwhile, or is another one */
  head(): Head | undefined
}

export interface Reads {
  /**
   * Chooses a database. Answers without a promise when no server has to be asked first.
   * @throws NotYetError when nobody knows enough within a second
   * @throws StoreUnavailableError, StoreTimeoutError
   */
  begin(wish: ReadWish): Reading | Promise<Reading>
  /** What the primary was last seen to have; undefined while that is not known. */
  primaryHead(): Head | undefined
  /** Resolves when reads are answered, by whichever database. @throws StoreUnavailableError */
  ping(): Promise<void>
  /** The replicas at this moment; empty without replicas. */
  replicas(): readonly Pick<Replica, 'name' | 'problem' | 'lagMs' | 'reads'>[]
  /** how many readings began on the primary */
  primaryReads(): number
  close(): Promise<void>
}

/** How long a reader waits for a position, and how often its databases are asked meanwhile. */
const WAIT_MS = 1_000
const ASK_EVERY_MS = 50
/** Many readers that wait share a question. */
const SHARED_MS = 10

/** A database that is asked from now on, and what it knows now. */
interface Asked {
  heads: HeadTracker
  breaks: number
  head: Head | undefined
}

const askNow = (heads: HeadTracker): Asked => ({ heads, breaks: heads.breaks, head: heads.newest })

/** @returns what all of them know */
function headOf(asked: readonly Asked[]): Head | undefined {
  let least: Head | undefined
  for (const { heads, breaks, head } of asked) {
    if (head === undefined || heads.breaks !== breaks) return undefined
    if (least === undefined || head.position < least.position) least = head
  }
  return least
}

/** Reads of the primary. */
function buildPrimary(primary: Store, heads: HeadTracker) {
  let reads = 0
  const readAt = (atLeast: bigint): Reading | undefined => {
    const asked = [askNow(heads)]
    if (atLeast > (asked[0]!.head?.position ?? 0n)) return undefined
    reads += 1
    return { store: primary, head: () => headOf(asked) }
  }
  return {
    reads: () => reads,
    /** @returns undefined while the primary knows too little. @throws when it cannot be asked */
    tryAt(atLeast: bigint, maxAgeMs?: number): Reading | undefined | Promise<Reading | undefined> {
      const head = heads.head(maxAgeMs)
      return head instanceof Promise ? head.then(() => readAt(atLeast)) : readAt(atLeast)
    },
  }
}

/**
 * @param primary the store of everything else; closed by its owner
 * @param heads what the primary knows; default: a tracker that does not learn of new connections
 */
export function openReads(
  primary: Store,
  heads: HeadTracker = new HeadTracker(() => primary.database.lookUp),
  fleet?: Fleet,
): Reads {
  const ofPrimary = buildPrimary(primary, heads)
  const ofReplica = (replica: Replica, atLeast: bigint): Reading => {
    replica.reads += 1
    const { store, asked } = readOn(replica, { primary, heads, fleet: fleet!, atLeast })
    return { store, head: () => headOf(asked) }
  }
  const waitFor = async (atLeast: bigint, replicas: boolean): Promise<Reading> => {
    for (const endMs = performance.now() + WAIT_MS; ; await sleep(ASK_EVERY_MS)) {
      const replica = replicas ? fleet?.choose(atLeast) : undefined
      if (replica) return ofReplica(replica, atLeast)
      try {
        const reading = await ofPrimary.tryAt(atLeast, SHARED_MS)
        if (reading) return reading
      } catch (error) {
        if (!replicas || !fleet?.serves) throw error
      }
      if (performance.now() >= endMs) throw new NotYetError(atLeast, heads.newest)
    }
  }
  const begin = ({ atLeast = 0n, replicas }: ReadWish): Reading | Promise<Reading> => {
    const replica = replicas ? fleet?.choose(atLeast) : undefined
    if (replica) return ofReplica(replica, atLeast)
    const reading = ofPrimary.tryAt(atLeast)
    if (!(reading instanceof Promise)) return reading ?? waitFor(atLeast, replicas)
    return reading.then(
      found => found ?? waitFor(atLeast, replicas),
      (error: unknown) => {
        if (replicas && fleet?.serves) return waitFor(atLeast, replicas)
        throw error
      },
    )
  }
  return {
    begin,
    async ping() {
      await primary.ping().catch((error: unknown) => {
        if (!fleet?.serves) throw error
      })
    },
    primaryHead: () => heads.newest,
    replicas: () => fleet?.replicas ?? [],
    primaryReads: ofPrimary.reads,
    close: async () => fleet?.close(),
  }
}

/**
 * A store whose reads go to a replica. When the replica fails, the statement and all later ones go to another replica
 * that knows enough, and at last to the primary.
 */
function readOn(
  first: Replica,
  { primary, heads, fleet, atLeast }: { primary: Store; heads: HeadTracker; fleet: Fleet; atLeast: bigint },
): { store: Store; asked: Asked[] } {
  const asked = [askNow(first.heads)]
  const tried = new Set<Replica>()
  let current: Replica | null = first
  const next = async (failed: Replica): Promise<void> => {
    tried.add(failed)
    if (current !== failed) return
    current = fleet.choose(atLeast, tried) ?? null
    if (!current) await heads.head()
    asked.push(askNow(current?.heads ?? heads))
  }
  const pool =
    (name: 'read' | 'lookUp'): RunRead =>
    async (statement, signal) => {
      while (current) {
        const replica: Replica = current
        try {
          return await replica.run(name, statement, signal)
        } catch (error) {
          if (!(error instanceof StoreUnavailableError)) throw error
          await next(replica)
        }
      }
      return primary.database[name](statement, signal)
    }
  return {
    asked,
    store: { ...primary, database: { ...primary.database, read: pool('read'), lookUp: pool('lookUp') } },
  }
}
