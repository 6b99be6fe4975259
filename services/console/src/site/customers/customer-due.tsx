// What a customer owes next, and why it may not come: the sentence is that of the overview and of the subscription.
import type { Schemas } from '@payment-tracking/client'
import { RiskCause, RiskNote } from '../risks/risk-note.js'
import { Amount, Time } from '../show/values.js'

type Due = Schemas['Subscriber']['due']

/** How much, and when. */
export function CustomerDue({ due }: { due: Due }) {
  if (due === null) return <span className="quiet">nothing</span>
  return (
    <>
      {due.amount !== null && <Amount raw={due.amount} mint={due.tokenMint} />} <Time at={due.dueAt} />
    </>
  )
}

const factsOf = (due: NonNullable<Due>, wallet: string) => ({
  risk: due.dueRisk,
  wallet,
  recipient: due.recipient,
  amount: due.amount,
  mint: due.tokenMint,
  dueAt: due.dueAt,
})

/** Why it will not come; nothing where nothing is known against it. */
export const DueCause = ({ due, wallet }: { due: Due; wallet: string }) =>
  due !== null && <RiskCause {...factsOf(due, wallet)} />

export const DueReason = ({ due, wallet }: { due: Due; wallet: string }) =>
  due !== null && <RiskNote {...factsOf(due, wallet)} />
