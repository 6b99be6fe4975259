// The control message `funds`: a token account, as nodes agreed on it.
import { isPublicKey } from '../keys/addresses.js'
import { ExactNumber, type ExactJsonObject } from '../json/exact-json.js'
import { readSafeInteger } from '../json/safe-integer.js'
import { Refused } from './refused.js'

/** Which other token accounts of an owner and mint there are: one that takes payments, only frozen ones, or none. */
const OTHER_ACCOUNTS = ['usable', 'frozen', 'none'] as const
export type OtherAccounts = (typeof OTHER_ACCOUNTS)[number]

/** What is not sent of an account is null; an account that does not exist has none of it. */
export interface TokenAccountSeen {
  tokenAccount: string
  slot: number
  exists: boolean
  /** whose account it is; of a missing one, whose it would be */
  owner: string | null
  mint: string | null
  /** u64, in the token's smallest unit */
  balance: bigint | null
  /** who may spend the allowance; null is nobody */
  delegate: string | null
  allowance: bigint | null
  frozen: boolean
  /** of a missing account; null where the nodes were not asked, or do not agree */
  others: OtherAccounts | null
  /** how many nodes agreed */
  nodes: number
}

const U64_MAX = 2n ** 64n - 1n
const MOST_NODES = 1_000

function refuse(expected: string): never {
  throw new Refused('BAD_CONTROL', `a control message must ${expected}`)
}

function readKey(body: ExactJsonObject, name: string): string | null {
  const value = body[name] ?? null
  if (value === null || (typeof value === 'string' && isPublicKey(value))) return value
  return refuse(`have ${name}, base58 of exactly 32 bytes, or none`)
}

function readFlag(body: ExactJsonObject, name: string, missing?: boolean): boolean {
  const value = body[name] ?? missing
  return typeof value === 'boolean' ? value : refuse(`have ${name}, true or false`)
}

function readAmount(body: ExactJsonObject, name: string): bigint | null {
  const value = body[name] ?? null
  if (value === null) return null
  const text = value instanceof ExactNumber ? value.text : typeof value === 'number' ? String(value) : value
  if (typeof text === 'string' && /^(?:0|[1-9]\d{0,19})$/.test(text) && BigInt(text) <= U64_MAX)
    return BigInt(text)
  return refuse(`have ${name}, an integer from 0 to 2^64-1, or none`)
}

function readOthers(body: ExactJsonObject): OtherAccounts | null {
  const value = body.others ?? null
  if (value === null) return null
  return OTHER_ACCOUNTS.find(each => each === value) ?? refuse('have others, usable, frozen or none')
}

/** @throws Refused BAD_CONTROL */
export function readFunds(body: ExactJsonObject): TokenAccountSeen {
  const tokenAccount =
    readKey(body, 'tokenAccount') ?? refuse('have tokenAccount, base58 of exactly 32 bytes')
  const slot = readSafeInteger(body.slot, 1) ?? refuse('have slot, an integer from 1 to 2^53-1')
  const nodes = readSafeInteger(body.nodes, 1) ?? refuse('have nodes, an integer from 1')
  if (nodes > MOST_NODES) refuse(`have nodes, at most ${MOST_NODES}`)
  const exists = readFlag(body, 'exists')
  const [owner, mint] = [readKey(body, 'owner'), readKey(body, 'mint')]
  const balance = readAmount(body, 'balance')
  const [delegate, allowance] = [readKey(body, 'delegate'), readAmount(body, 'allowance')]
  const frozen = readFlag(body, 'frozen', false)
  const others = readOthers(body)
  if (exists && balance === null) refuse('have balance, where the account exists')
  return exists
    ? { tokenAccount, slot, exists, owner, mint, balance, delegate, allowance, frozen, others: null, nodes }
    : {
        tokenAccount,
        slot,
        exists,
        owner,
        mint,
        balance: null,
        delegate: null,
        allowance: null,
        frozen: false,
        others,
        nodes,
      }
}
