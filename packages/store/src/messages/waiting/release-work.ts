// Messages that waited, and of which a batch decides the first: work that a highest final slot, and known details, leave.
import type { DeliveryRef } from '@payment-tracking/contracts'
import { sql, type PipelinedTx } from '../../core/database/sql.js'
import type { IsFinal } from '../../core/tables/finality.js'
import type { LockedHead } from '../../core/tables/head.js'
import type { WorkKind } from '../../core/tasks/under-writer-lock.js'
import { addKeys, continueAt } from '../../core/tasks/work-table.js'
import { release, type WaitingKey } from './release.js'

type ReleaseKind = WorkKind<{ released: DeliveryRef[] }>

/** Decides about messages that waited for slots that are final now. */
export const WATERMARK: ReleaseKind = {
  page: async (tx, [work], { head, rows }) => {
    const { finalizedSlot } = head
    const { last, deliveries: released } = await release(tx, { finalizedSlot }, isSlotFinal(head), rows)
    return { ...continueAt(work!, last && ''), released }
  },
}

/** Decides about messages of a policy that waited for a recipient or a token. */
export const DETAILS: ReleaseKind = {
  page: async (tx, [work], { head, rows }) => {
    const { key, cursor } = work!
    const after = cursor === '' ? undefined : (JSON.parse(cursor) as WaitingKey)
    const page = await release(tx, { policies: [key] }, isSlotFinal(head), rows, after)
    return { ...continueAt(work!, page.last && JSON.stringify(page.last)), released: page.deliveries }
  },
}

const isSlotFinal =
  ({ finalizedSlot }: LockedHead): IsFinal =>
  ({ slot }) =>
    BigInt(slot) <= finalizedSlot

export const addWatermarkWork = (tx: PipelinedTx): void => addKeys(tx, 'watermark', [''])

/** Writes work down for those of some policies of which messages wait for details. SQL: looks for what waits. */
export function addDetailsWork(tx: PipelinedTx, policies: readonly string[]): void {
  if (policies.length === 0) return
  tx.send(sql`
    insert into work (kind, key)
    select 'details', p.address from unnest(${[...new Set(policies)]}::text[]) as p (address)
     where exists (select from waiting_messages a where a.policy = p.address and a.waits_for = 'details')
    on conflict (kind, key) do update set cursor = ''`)
}
