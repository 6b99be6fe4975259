// Why a due payment will not come, in a sentence, with its cure.
import type { Schemas } from '@payment-tracking/client'
import type { Token } from '../api/tokens.js'
import { formatAmount } from '../show/format-amount.js'

export type DueRisk = Schemas['DueRisk']

export interface RiskFacts {
  risk: DueRisk
  wallet: string | null
  recipient: string | null
  amount: string | number | bigint | null
  /** undefined for a token that the service cannot name */
  token: Token | undefined
  /** Unix seconds */
  dueAt: number | bigint | null
}

const DAY_MS = 86_400_000
const WEEKDAY = new Intl.DateTimeFormat('en-US', { weekday: 'long' })
const DATE = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' })

const short = (key: string | null): string => (key === null ? 'unknown' : `${key.slice(0, 4)}…`)

/** A weekday says more than a date as long as there is only one of its name. */
const dayOf = (at: number, now: number): string =>
  (Math.abs(at - now) < 6 * DAY_MS ? WEEKDAY : DATE).format(at)

/** @returns null where nothing is at risk @param now milliseconds */
export function riskSentence(
  { risk, wallet, recipient, amount, token, dueAt }: RiskFacts,
  now: number,
): string | null {
  if (risk.state !== 'at_risk') return null
  const raw = (value: string | number | bigint | null) =>
    value === null ? 'nothing' : formatAmount(value, token?.decimals ?? 0)
  const unit = token?.symbol ?? 'of its token'
  const account = `${token?.symbol ?? 'token'} account`
  const payer = `Wallet ${short(wallet)}`
  const at = Number(dueAt ?? 0) * 1000
  const are = at < now ? 'were' : 'are'
  const together = risk.dueTogether
  const isMore = together !== null && amount !== null && BigInt(together) > BigInt(amount)
  const due = isMore
    ? `${raw(together)} ${are} due together by ${dayOf(at, now)}`
    : `${raw(amount)} ${are} due on ${dayOf(at, now)}`
  switch (risk.cause) {
    case 'program_paused':
      return 'The program is paused, so no payment can execute. Its operator can end the pause.'
    case 'account_missing':
      return `${payer} has no ${account} any more. It must open one and approve the payments again.`
    case 'account_frozen':
      return `The ${account} of wallet ${short(wallet)} is frozen. The issuer of the token can thaw it.`
    case 'delegate_revoked':
      return `${payer} does not let the program pay any more: it took the approval back, or gave it to another program. It must approve the payments again.`
    case 'insufficient_balance':
      return `${payer} has ${raw(risk.balance)} ${unit}, ${due}. It must top up.`
    case 'insufficient_allowance':
      return `${payer} lets the program take ${raw(risk.allowance)} ${unit}, ${due}. It must approve more.`
    case 'recipient_account_missing':
      return `${short(recipient)}, who is paid, has no ${account}. It must open one.`
    case 'recipient_account_frozen':
      return `The ${account} of who is paid, or of who takes the fees, is frozen. The issuer of the token can thaw it.`
    case 'fee_account_missing':
      return `Who takes the fees has no ${account}. It must open one.`
    default:
      return 'The payment will fail for a reason that this page does not know.'
  }
}
