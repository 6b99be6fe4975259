// What the indexer asks ingest: which token accounts the payments need that are due. Postgres answers, so the indexer
// knows no payments of its own.
import { Type, type Static } from 'typebox'
import { Compile } from 'typebox/compile'

const Key = Type.String({ pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$' })

/** @see DueAccounts.next */
const DueQuestion = Type.Object({
  after: Type.Union([Type.String({ maxLength: 100 }), Type.Null()]),
})
export type DueQuestion = Static<typeof DueQuestion>

/** What a due payment needs. */
const DueAccount = Type.Object({
  /** of the payer */
  tokenAccount: Key,
  tokenMint: Key,
  /** wallets that need a token account of the mint: recipient, and who takes fees */
  owners: Type.Array(Key, { maxItems: 8 }),
})
export type DueAccount = Static<typeof DueAccount>

const DueAccounts = Type.Object({
  /** several payments may need one account */
  accounts: Type.Array(DueAccount),
  /** where the next page begins; null on the last page */
  next: Type.Union([Type.String({ maxLength: 100 }), Type.Null()]),
})
export type DueAccounts = Static<typeof DueAccounts>

const question = Compile(DueQuestion)
const answer = Compile(DueAccounts)

const parse = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    return undefined
  }
}

/** @returns undefined for what is no question */
export function readDueQuestion(bytes: Uint8Array): DueQuestion | undefined {
  const value = parse(bytes)
  return question.Check(value) ? value : undefined
}

/** @returns undefined for what is no answer */
export function readDueAccounts(bytes: Uint8Array): DueAccounts | undefined {
  const value = parse(bytes)
  return answer.Check(value) ? value : undefined
}
