// Addresses that events do not carry, derived as the program derives them.
import { getProgramDerivedAddress, type Address } from '@solana/addresses'
import bs58 from 'bs58'

const PROGRAM = 'TRibg8W8zmPHQqWtyAD1rEBRXEdyU13Mu6qX1Sg42tJ' as Address

const found = new Map<string, string>()

async function derive(label: string, ...seeds: Uint8Array[]): Promise<string> {
  const key = `${label} ${seeds.map(seed => bs58.encode(seed)).join(' ')}`
  const known = found.get(key)
  if (known !== undefined) return known
  const [address] = await getProgramDerivedAddress({ programAddress: PROGRAM, seeds: [label, ...seeds] })
  found.set(key, address)
  return address
}

export const gatewayOf = (authority: string) => derive('gateway', bs58.decode(authority))

export const userPaymentOf = (owner: string, mint: string) =>
  derive('user_payment', bs58.decode(owner), bs58.decode(mint))

export function policyOf(userPayment: string, policyId: number): Promise<string> {
  const id = Buffer.alloc(4)
  id.writeUInt32LE(policyId)
  return derive('payment_policy', bs58.decode(userPayment), id)
}
