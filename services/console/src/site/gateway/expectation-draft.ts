// What is typed for a new expected payment: all that is wrong with it at once, and what it asks for.
import type { Token } from '../api/tokens.js'
import { parseAmount } from '../show/format-amount.js'
import { canBeTrackingId, isKey } from '../show/is-key.js'

/** Chosen where the service cannot name the token. */
export const OTHER_TOKEN = 'other'

export interface Draft {
  trackingId: string
  recipient: string
  /** a mint that the service can name, or `OTHER_TOKEN` */
  token: string
  otherMint: string
  /** in units of the token; of another token in the smallest unit */
  amount: string
  /** as `datetime-local` writes it, in the reader's place; empty for never */
  until: string
  reference: string
}

type Tokens = ReadonlyMap<string, Token>

const amountOf = ({ amount, token }: Draft, tokens: Tokens): string | null =>
  parseAmount(amount, tokens.get(token)?.decimals ?? 0)

/** @param now milliseconds. @returns a sentence for each field that is wrong */
export function faultsOf(draft: Draft, tokens: Tokens, now: number): Partial<Record<keyof Draft, string>> {
  const { trackingId, recipient, token, otherMint, until, reference } = draft
  const amount = amountOf(draft, tokens)
  const all: [keyof Draft, boolean, string][] = [
    ['trackingId', !canBeTrackingId(trackingId), 'Write 1 to 64 bytes.'],
    ['recipient', !isKey(recipient), 'Write the address of a wallet.'],
    ['otherMint', token === OTHER_TOKEN && !isKey(otherMint), 'Write the address of a mint.'],
    [
      'amount',
      amount === null || amount === '0',
      'Write an amount above 0 with no more digits than the token has.',
    ],
    ['until', until !== '' && !(Date.parse(until) > now), 'Choose a time that comes.'],
    ['reference', reference !== '' && !canBeTrackingId(reference), 'Write at most 64 bytes.'],
  ]
  return Object.fromEntries(all.filter(([, isWrong]) => isWrong).map(([name, , fault]) => [name, fault]))
}

/** @param draft without faults */
export const toExpectation = (draft: Draft, tokens: Tokens) => ({
  trackingId: draft.trackingId,
  recipient: draft.recipient.trim(),
  tokenMint: draft.token === OTHER_TOKEN ? draft.otherMint.trim() : draft.token,
  amount: amountOf(draft, tokens)!,
  ...(draft.until === '' ? {} : { expiresAt: new Date(draft.until).toISOString() }),
  ...(draft.reference === '' ? {} : { reference: draft.reference }),
})
