import { readJson, type Json } from '@payment-tracking/domain'
import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import type { FixtureAnswers } from './fixtures-2.js'

/** Another set of the same shape can be tried: `FIXTURES_1=/path/to/set npm test -- test/e2e/…`. */
const FIXTURES = process.env.FIXTURES_1
  ? pathToFileURL(`${process.env.FIXTURES_1.replace(/\/+$/, '')}/`)
  : new URL('../../../test/fixtures/', import.meta.url)

/** The service's answers after the messages of `readFixtureMessages`. Integers beyond 2⁵³ are bigint. */
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

/**
 * The answers of the first set in the shape of the second, without what the first lacks. Its sums over payments of
 * several mints are left out, because they are not answered any more.
 */
export function toSecondShape(expected: ExpectedAnswers): FixtureAnswers {
  const { stored, countByName, eventNames, stats, subscriptions, deletedTrackingIds, oneTime } = expected
  return {
    stored,
    countByName,
    eventNames,
    gone: deletedTrackingIds,
    unpaid: [],
    lookups: [],
    transactions: [],
    gateways: stats.map(({ gateway, authority, authoritySecret, count }) => ({
      gateway,
      authority,
      authoritySecret,
      payments: count,
    })),
    stats: stats.map(({ gateway, count }) => ({ about: gateway, query: { gateway }, answer: { count } })),
    subscriptions: subscriptions.map(({ query, wallet, policyAddress, status, record }) => ({
      trackingId: query.trackingId,
      policyAddress,
      knownType: true,
      record: record as Json,
      additive: { policyAddress, status, ...wallet },
    })),
    oneTime: oneTime.map(({ trackingId, newestFirst }) => ({
      trackingId,
      seqs: newestFirst.length,
      retracted: [],
      newestFirst: newestFirst.map(base => ({ base: base as Json, additive: {} })),
    })),
  }
}

/** The indexer's messages unchanged, one a line; some are no JSON. */
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
