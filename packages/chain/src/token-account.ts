// Token accounts, as the two token programs keep them. The accounts of Token-2022 begin like those of SPL Token, and go on
// with extensions.
import { getAddressDecoder } from '@solana/addresses'
import { getNullableDecoder, getStructDecoder } from '@solana/codecs-data-structures'
import { getU32Decoder, getU64Decoder, getU8Decoder } from '@solana/codecs-numbers'

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
const TOKEN_PROGRAMS: readonly string[] = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]

/** An option of the token programs: a mark of four bytes, and room for the value even without a value. */
const COPTION = { prefix: getU32Decoder(), noneValue: 'zeroes' } as const
/** As @solana-program/token has it, which brings all of @solana/kit; the test compares the two. */
const decoder = getStructDecoder([
  ['mint', getAddressDecoder()],
  ['owner', getAddressDecoder()],
  ['amount', getU64Decoder()],
  ['delegate', getNullableDecoder(getAddressDecoder(), COPTION)],
  ['state', getU8Decoder()],
  ['isNative', getNullableDecoder(getU64Decoder(), COPTION)],
  ['delegatedAmount', getU64Decoder()],
  ['closeAuthority', getNullableDecoder(getAddressDecoder(), COPTION)],
])
const INITIALIZED = 1
const FROZEN = 2
const BASE_BYTES = decoder.fixedSize
/** After the base of an account of Token-2022 stands what kind of account it is: mints are filled up to the same length. */
const KIND_OF_ACCOUNT = 2

/** So much of an account's data is enough. */
export const TOKEN_ACCOUNT_BYTES = BASE_BYTES + 1

export interface TokenAccount {
  /** the token program that keeps it, and its mint */
  program: string
  mint: string
  owner: string
  balance: bigint
  /** null is nobody */
  delegate: string | null
  allowance: bigint
  frozen: boolean
}

/**
 * @param program that owns the account
 * @param data its first `TOKEN_ACCOUNT_BYTES` bytes, or all where it has fewer
 * @returns null for what is no token account that was ever opened
 */
export function readTokenAccount(program: string, data: Uint8Array): TokenAccount | null {
  if (!TOKEN_PROGRAMS.includes(program) || data.length < BASE_BYTES) return null
  const hasExtensions = data.length > BASE_BYTES
  if (hasExtensions && (program !== TOKEN_2022_PROGRAM || data[BASE_BYTES] !== KIND_OF_ACCOUNT)) return null
  const { mint, owner, amount, delegate, state, delegatedAmount } = decoder.decode(data)
  if (state !== INITIALIZED && state !== FROZEN) return null
  return {
    program,
    mint,
    owner,
    balance: amount,
    delegate,
    allowance: delegate === null ? 0n : delegatedAmount,
    frozen: state === FROZEN,
  }
}
