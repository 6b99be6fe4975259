import t from 'tap'
import { derivePaymentsDelegate, deriveTokenAccount } from '../src/index.js'

t.test('addresses are derived as the programs derive them', async t => {
  const { address, getProgramDerivedAddress, getAddressEncoder } = await import('@solana/addresses')
  const bytes = (key: string) => getAddressEncoder().encode(address(key))
  const PROGRAM = 'TRibg8W8zmPHQqWtyAD1rEBRXEdyU13Mu6qX1Sg42tJ'
  const TOKENS = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
  const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
  t.equal(
    derivePaymentsDelegate(PROGRAM),
    (await getProgramDerivedAddress({ programAddress: address(PROGRAM), seeds: ['payments'] }))[0],
  )
  t.equal(
    deriveTokenAccount(PROGRAM, TOKENS, MINT),
    (
      await getProgramDerivedAddress({
        programAddress: address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'),
        seeds: [bytes(PROGRAM), bytes(TOKENS), bytes(MINT)],
      })
    )[0],
  )
})
