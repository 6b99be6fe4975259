// Gateways and user payments after one of their events was retracted or moved: recomputed from their latest stored
// events. Of each kind of event, only the latest matters, however many there are.
import {
  applyToGateway,
  applyToUserPayment,
  emptyGateway,
  emptyUserPayment,
  type ChainEvent,
} from '@payment-tracking/domain'
import type { ClientTx, PipelinedTx } from '../../core/database/sql.js'
import { applyAll, gatewayOf, userPaymentOf } from '../../core/tables/addresses.js'
import { writeGateways } from '../../core/tables/gateways.js'
import { readLatestChanges } from './read-latest-events.js'
import { readStored } from '../../core/tables/stored-events.js'
import { writeUserPayments } from '../../core/tables/user-payments.js'
import type { WorkKind } from '../../core/tasks/under-writer-lock.js'
import { policiesFor } from '../../core/tasks/work-table.js'

type Recompute = (tx: PipelinedTx, addresses: readonly string[], programId: string) => Promise<void>

/** An address of which no event is valid has no row. */
const recomputeBy =
  <S extends { address: string }>(
    remove: (client: ClientTx, where: { address: { in: string[] } }) => PromiseLike<unknown>,
    names: readonly string[],
    fold: (events: readonly ChainEvent[]) => Map<string, S>,
    write: (tx: PipelinedTx, states: readonly S[]) => void,
  ): Recompute =>
  async (tx, addresses, programId) => {
    if (addresses.length === 0) return
    const rows = await readLatestChanges(tx, addresses, names)
    const states = fold(rows.map(row => readStored(row, programId)))
    const gone = addresses.filter(address => !states.has(address))
    if (gone.length > 0) tx.sendModel(client => remove(client, { address: { in: gone } }))
    write(tx, [...states.values()])
  }

export const recomputeGateways = recomputeBy(
  (client, where) => client.gateway.deleteMany({ where }),
  ['PaymentGatewayCreated', 'PaymentGatewayDeleted', 'GatewaySignerChanged'],
  events => applyAll([], events, gatewayOf, emptyGateway, applyToGateway),
  writeGateways,
)

export const recomputeUserPayments = recomputeBy(
  (client, where) => client.userPayment.deleteMany({ where }),
  ['UserPaymentCreated', 'UserPaymentDeleted'],
  events => applyAll([], events, userPaymentOf, emptyUserPayment, applyToUserPayment),
  writeUserPayments,
)

/** Of a rebuild: the states of gateways and user payments. */
export const GATEWAY = kindOf(recomputeGateways)
export const ACCOUNT = kindOf(recomputeUserPayments)

function kindOf(recompute: Recompute): WorkKind<object> {
  return {
    together: policiesFor,
    page: async (tx, works, { programId }) => {
      const addresses = works.map(({ key }) => key)
      await recompute(tx, addresses, programId)
      return { done: works }
    },
  }
}
