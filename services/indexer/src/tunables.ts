/** Numbers of the indexer that are no settings. */
export const INDEXER_TUNABLES = {
  /** How often recent slots are listed again, and counters compared with the accounts on the chain. */
  rescanEveryMs: 600_000,
  /** About how many transactions are read for missing numbers before the chain is followed on. */
  auditedAtOnce: 1_000,
  /** How long the nodes may answer a question without use, before the chain is followed on without the answer. */
  patienceMs: 60_000,
  /** How often the token accounts of due payments are read. */
  fundsCycleMs: 300_000,
}
