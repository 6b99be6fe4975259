// Says whether a due payment can execute. The nodes have read the token accounts that it needs.

/** What keeps a due payment from executing, in the order in which one of several is reported. */
export const RISK_CAUSES = [
  'program_paused',
  'account_missing',
  'account_frozen',
  'delegate_revoked',
  'insufficient_balance',
  'insufficient_allowance',
  'recipient_account_missing',
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

/** A token account, as nodes agreed on it. */
export interface SeenAccount {
  slot: bigint
  checkedAt: Date
  /** how long ago, in seconds, by the clock of the database */
  age: number
  exists: boolean
  mint: string | null
  /** u64; null was not sent */
  balance: bigint | null
  /** null is none */
  delegate: string | null
  allowance: bigint | null
  frozen: boolean
}

/** A payment that is due, with what it needs. */
export interface DueFacts {
  /** u64 */
  amount: bigint
  /** null is not known */
  mint: string | null
  /** the address that the program pays by */
  delegate: string
  /** the sum of what is due from the account up to the due date, this payment included */
  dueTogether: bigint
  programPaused: boolean
  /** of the payer; null was never seen */
  account: SeenAccount | null
  recipientMissing: boolean
  feeAccountMissing: boolean
}

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

const ofAccount = (holds: (account: SeenAccount, facts: DueFacts) => boolean) => (facts: DueFacts) =>
  facts.account !== null && facts.account.age <= SEEN_SECONDS && holds(facts.account, facts)

/** Whether each cause is seen. An account that nobody saw lately is no cause. */
const HOLDS: Readonly<Record<RiskCause, (facts: DueFacts) => boolean>> = {
  program_paused: ({ programPaused }) => programPaused,
  account_missing: ofAccount(
    ({ exists, mint }, facts) => !exists || (mint !== null && facts.mint !== null && mint !== facts.mint),
  ),
  account_frozen: ofAccount(({ frozen }) => frozen),
  delegate_revoked: ofAccount(({ delegate }, facts) => delegate !== facts.delegate),
  insufficient_balance: ofAccount(
    ({ balance }, { dueTogether }) => balance !== null && balance < dueTogether,
  ),
  insufficient_allowance: ofAccount(({ allowance }, { amount }) => allowance !== null && allowance < amount),
  recipient_account_missing: ({ recipientMissing }) => recipientMissing,
  fee_account_missing: ({ feeAccountMissing }) => feeAccountMissing,
}

/** The first cause that is seen; without one, `ok` needs the payer's balance. */
export function dueRiskOf(facts: DueFacts): DueRisk {
  const { account, dueTogether } = facts
  const cause = RISK_CAUSES.find(each => HOLDS[each](facts)) ?? null
  const isSeen = account !== null && account.age <= SEEN_SECONDS && account.balance !== null
  return {
    state: cause !== null ? 'at_risk' : isSeen ? 'ok' : 'unknown',
    cause,
    checkedAt: account?.checkedAt.toISOString() ?? null,
    slot: account?.slot ?? null,
    balance: account?.balance ?? null,
    allowance: account?.allowance ?? null,
    dueTogether,
  }
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
