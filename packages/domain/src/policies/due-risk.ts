// Whether a due payment can execute, as the nodes see the token accounts that it needs. packages/store/src/core/risk/due-risks.ts
// has the rule.

/** What keeps a due payment from executing, in the order in which one of several is reported. */
export const RISK_CAUSES = [
  'program_paused',
  'account_missing',
  'account_frozen',
  'delegate_revoked',
  'insufficient_balance',
  'insufficient_allowance',
  'recipient_account_missing',
  'recipient_account_frozen',
  'fee_account_missing',
] as const
export type RiskCause = (typeof RISK_CAUSES)[number]

export const RISK_STATES = ['ok', 'at_risk', 'unknown'] as const
/**
 * - `ok`: the accounts allow the payment
 * - `at_risk`: the payment will fail, unless somebody removes the cause
 * - `unknown`: nobody has read the accounts in the last 15 minutes
 */
export type RiskState = (typeof RISK_STATES)[number]

const DAY = 86_400
/**
 * From when on the accounts of a due payment are read: three days before its due date, and a quarter of an hour more, so
 * that they are known when `due_soon` is sent.
 */
export const WATCHED_SECONDS = 3 * DAY + 900
/** What was seen longer ago says nothing any more. */
export const SEEN_SECONDS = 900

export interface DueRisk {
  state: RiskState
  cause: RiskCause | null
  /** ISO 8601; when the payer's account was seen */
  checkedAt: string | null
  slot: bigint | null
  balance: bigint | null
  allowance: bigint | null
  dueTogether: bigint | null
}

/** Of a payment that is too far away to be watched. */
export const UNWATCHED: DueRisk = {
  state: 'unknown',
  cause: null,
  checkedAt: null,
  slot: null,
  balance: null,
  allowance: null,
  dueTogether: null,
}

/** As JSON text, for bodies and records: integers as literals. */
export function renderDueRisk(risk: DueRisk | null): string {
  if (risk === null) return 'null'
  const { state, cause, checkedAt, slot, balance, allowance, dueTogether } = risk
  const text = (value: string | null) => JSON.stringify(value)
  return (
    `{"state":${text(state)},"cause":${text(cause)},"checkedAt":${text(checkedAt)},"slot":${slot ?? 'null'},` +
    `"balance":${balance ?? 'null'},"allowance":${allowance ?? 'null'},"dueTogether":${dueTogether ?? 'null'}}`
  )
}
