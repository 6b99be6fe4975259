import { readFileSync } from 'node:fs'
import { readJson, readMessage, type ChainEvent, type Refusal } from '../src/index.js'

export const PROGRAM_ID = 'TRibg8W8zmPHQqWtyAD1rEBRXEdyU13Mu6qX1Sg42tJ'
export const SETTINGS = { programId: PROGRAM_ID, requireProgramId: false }

const read = (name: string): string =>
  readFileSync(new URL(`../../../test/fixtures/${name}`, import.meta.url), 'utf8')

export const lines = read('messages.jsonl').split('\n').slice(0, -1)

/** The parts of `expected.json` that reading alone can answer for. */
export interface Expected {
  messages: number
  rejected: number
  stored: number
  countByName: Record<string, number>
  stats: { gateway: string; authority: string; totalAmount: number | bigint }[]
  subscriptions: {
    policyAddress: string
    record: { userPayment: string; gateway: string; recipient: string }
  }[]
}
export const expected = readJson(read('expected.json')) as unknown as Expected

/** Reads every line of the fixtures, in order. */
export async function readLines(): Promise<{ events: ChainEvent[]; refusals: Refusal[] }> {
  const results = lines.map(line => readMessage(Buffer.from(line), SETTINGS))
  return {
    events: results.flatMap(result => (result.ok ? [result.event] : [])),
    refusals: results.flatMap(result => (result.ok ? [] : [result.refusal])),
  }
}
