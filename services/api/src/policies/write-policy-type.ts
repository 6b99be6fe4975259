import { policyTypeView, writeJson } from '@payment-tracking/domain'
import type { StoredSubscription } from '@payment-tracking/store/reads'

interface Milestone {
  currentMilestone: number
}

/** A policy's type as JSON text, including the changes by its payments. */
export function writePolicyType(
  policy: Pick<
    StoredSubscription,
    'policyType' | 'nextPaymentDue' | 'paymentCount' | 'periodStart' | 'periodTotal'
  >,
): string {
  const view = policyTypeView(policy.policyType, {
    nextPaymentDue: policy.nextPaymentDue,
    ...(policy.periodStart === null
      ? {}
      : { currentPeriodStart: policy.periodStart, currentPeriodTotal: policy.periodTotal }),
  })
  const milestone = view.milestone as Milestone | undefined
  if (milestone) milestone.currentMilestone += policy.paymentCount
  return writeJson(view)
}
