import { readJson } from '@payment-tracking/domain'
import { readFile } from 'node:fs/promises'

const FIXTURES = new URL('../../../test/fixtures/', import.meta.url)

/** What the service must answer after the messages of `readFixtureMessages`. Integers beyond 2⁵³ are bigint. */
export interface ExpectedAnswers {
  program: string
  messages: number
  rejected: number
  stored: number
  countByName: Record<string, number>
  eventNames: string[]
  deletedGateway: { gateway: string; authority: string; authoritySecret: string }
  changedSigner: { gateway: string; signer: string; signerSecret: string }
  otherPolicyTypes: string[]
  deletedTrackingIds: string[]
  stats: {
    gateway: string
    authority: string
    authoritySecret: string
    count: number
    totalAmount: number | bigint
  }[]
  subscriptions: {
    query: { trackingId: string }
    wallet: { walletPublicKey: string; tokenMint: string }
    policyAddress: string
    status: string
    record: Record<string, unknown>
  }[]
  oneTime: { trackingId: string; recipient: string; newestFirst: Record<string, unknown>[] }[]
}

/** The indexer's messages as they really come, one a line; some are no JSON. */
export async function readFixtureMessages(): Promise<Uint8Array[]> {
  const file = await readFile(new URL('messages.jsonl', FIXTURES))
  const lines: Uint8Array[] = []
  for (let start = 0; start < file.length;) {
    const end = file.indexOf(10, start)
    lines.push(file.subarray(start, end === -1 ? file.length : end))
    start = end === -1 ? file.length : end + 1
  }
  return lines
}

export async function readExpectedAnswers(): Promise<ExpectedAnswers> {
  return readJson(await readFile(new URL('expected.json', FIXTURES), 'utf8')) as unknown as ExpectedAnswers
}
