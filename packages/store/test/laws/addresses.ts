// The addresses of small worlds. A world has the same addresses in every run, so that each is derived only once.
import { deriveGateway, derivePolicy, deriveUserPayment } from '@payment-tracking/domain'
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { label } from '@payment-tracking/testkit/oracle'
import bs58 from 'bs58'
import { createHash } from 'node:crypto'

const keys = new Map<string, string>()

/** 32 or 64 bytes that follow from the name, in base58. */
function keyOf(name: string, algorithm: 'sha256' | 'sha512' = 'sha256'): string {
  const known = keys.get(name)
  if (known !== undefined) return known
  const key = label(bs58.encode(createHash(algorithm).update(name).digest()), name)
  keys.set(name, key)
  return key
}

export const signatureOf = (world: number, transaction: number): string =>
  keyOf(`tx ${world}.${transaction}`, 'sha512')

/** All worlds have the same mints and recipients. */
export const MINTS = [keyOf('mint a'), keyOf('mint b')] as const
export const RECIPIENTS = [keyOf('recipient a'), keyOf('recipient b')] as const
export const STRANGER = keyOf('stranger')

export interface Gateway {
  authority: string
  address: string
}

export interface UserPayment {
  owner: string
  mint: string
  address: string
}

export interface Policy {
  family: 'regular' | 'composable'
  address: string
  userPayment: UserPayment
  policyId: number
  /** what a composable policy pays in */
  inputMint: string
}

export interface Addresses {
  gateways: readonly Gateway[]
  userPayments: readonly UserPayment[]
  policies: readonly Policy[]
  signers: readonly string[]
}

/** The composable policy among the policies of a world. */
export const COMPOSABLE = 2

const worlds = new Map<number, Addresses>()

export function addressesOf(world: number): Addresses {
  const known = worlds.get(world)
  if (known) return known
  const gateways = [0, 1].map(at => {
    const authority = keyOf(`authority ${world}.${at}`)
    return {
      authority,
      address: label(deriveGateway(DEFAULT_PROGRAM_ID, authority), `gateway ${world}.${at}`),
    }
  })
  const userPayments = MINTS.map((mint, at): UserPayment => {
    const owner = keyOf(`owner ${world}.${at}`)
    const address = deriveUserPayment(DEFAULT_PROGRAM_ID, owner, mint)
    return { owner, mint, address: label(address, `user payment ${world}.${at}`) }
  })
  const regular = userPayments.map((userPayment, at): Policy => {
    const policyId = at + 1
    const address = derivePolicy(DEFAULT_PROGRAM_ID, userPayment.address, policyId)
    return {
      family: 'regular',
      address: label(address, `policy ${world}.${at}`),
      userPayment,
      policyId,
      inputMint: userPayment.mint,
    }
  })
  const composable: Policy = {
    family: 'composable',
    address: keyOf(`composable policy ${world}`),
    userPayment: userPayments[0]!,
    policyId: 7,
    inputMint: MINTS[1],
  }
  const signers = [0, 1].map(at => keyOf(`signer ${world}.${at}`))
  const addresses = { gateways, userPayments, policies: [...regular, composable], signers }
  worlds.set(world, addresses)
  return addresses
}
