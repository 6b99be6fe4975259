// Types of webhook messages about expected payments.
export const EXPECTATION_TYPES = [
  'expectation.paid',
  'expectation.underpaid',
  'expectation.overpaid',
  'expectation.expired',
  'expectation.reopened',
] as const
export type ExpectationType = (typeof EXPECTATION_TYPES)[number]
