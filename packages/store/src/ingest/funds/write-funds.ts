import type { ChainEvent } from '@payment-tracking/domain'
import type { PipelinedTx } from '../../core/database/sql.js'
import { writeProgramFacts } from '../../core/risk/program-facts.js'
import { writeTokenAccounts, type TimedControl } from '../../core/risk/token-accounts.js'

/** What a batch says about the accounts that due payments need. */
export function writeFunds(
  tx: PipelinedTx,
  controls: readonly TimedControl[],
  fresh: readonly { event: ChainEvent }[],
): void {
  writeTokenAccounts(tx, controls)
  writeProgramFacts(tx, fresh)
}
