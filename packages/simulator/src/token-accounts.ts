// Token accounts of the simulated chain, written as the token programs write them.
import { AccountState, getTokenEncoder, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { address } from '@solana/kit'

export const TOKEN_PROGRAM: string = TOKEN_PROGRAM_ADDRESS
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'

export interface SimulatedTokenAccount {
  mint: string
  owner: string
  balance: bigint
  delegate?: string | null
  allowance?: bigint
  frozen?: boolean
  /** with an extension, as wallets open accounts of Token-2022 */
  program?: string
}

const encoder = getTokenEncoder()
/** What kind of account it is, and the extension `ImmutableOwner`, which holds nothing. */
const EXTENSION = [2, 7, 0, 0, 0]

export class TokenAccounts {
  readonly #accounts = new Map<string, SimulatedTokenAccount>()

  /** Opens an account, or changes it. */
  set(key: string, account: SimulatedTokenAccount): void {
    this.#accounts.set(key, account)
  }

  /** @throws RangeError when there is no such account */
  change(key: string, changes: Partial<SimulatedTokenAccount>): void {
    const account = this.#accounts.get(key)
    if (!account) throw new RangeError(`there is no token account ${key}`)
    this.#accounts.set(key, { ...account, ...changes })
  }

  close(key: string): void {
    this.#accounts.delete(key)
  }

  /** The addresses of a wallet's accounts of a mint. */
  ofOwner = (owner: string, mint: string): string[] =>
    [...this.#accounts].flatMap(([key, account]) =>
      account.owner === owner && account.mint === mint ? [key] : [],
    )

  /** The program that owns an account, and the account's data. */
  read(key: string): { program: string; data: Uint8Array } | undefined {
    const account = this.#accounts.get(key)
    if (!account) return undefined
    const { mint, owner, balance, delegate = null, allowance = 0n, frozen = false } = account
    const { program = TOKEN_PROGRAM } = account
    const base = encoder.encode({
      mint: address(mint),
      owner: address(owner),
      amount: balance,
      delegate: delegate === null ? null : address(delegate),
      state: frozen ? AccountState.Frozen : AccountState.Initialized,
      isNative: null,
      delegatedAmount: allowance,
      closeAuthority: null,
    })
    return { program, data: Uint8Array.from([...base, ...(program === TOKEN_2022_PROGRAM ? EXTENSION : [])]) }
  }
}
