import t from 'tap'
import {
  derivePaymentsDelegate,
  deriveTokenAccount,
  renderDueRisk,
  UNWATCHED,
  type DueRisk,
} from '../src/index.js'

const RISK: DueRisk = {
  state: 'at_risk',
  cause: 'insufficient_balance',
  checkedAt: '2026-11-27T10:00:00.000Z',
  slot: 77n,
  balance: 10n,
  allowance: 10n,
  dueTogether: 2n ** 65n,
}

t.test('a risk is written with every digit', async t => {
  const text = renderDueRisk(RISK)
  t.match(text, `"dueTogether":${2n ** 65n}}`)
  t.same(JSON.parse(text), {
    state: 'at_risk',
    cause: 'insufficient_balance',
    checkedAt: '2026-11-27T10:00:00.000Z',
    slot: 77,
    balance: 10,
    allowance: 10,
    dueTogether: 2 ** 65,
  })
  t.equal(renderDueRisk(null), 'null')
  t.equal(JSON.parse(renderDueRisk(UNWATCHED)).state, 'unknown')
})

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
