import {
  controlSubjectOf,
  DEFAULT_PROGRAM_ID,
  DEFAULT_SUBJECT_PREFIX,
  subjectOf,
} from '@payment-tracking/contracts'
import { readJson, readMessage, type Json } from '@payment-tracking/domain'
import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'

/** Another set of the same shape can be tried: `FIXTURES_2=/path/to/set npm test -- test/e2e/…`. */
const FIXTURES = process.env.FIXTURES_2
  ? pathToFileURL(`${process.env.FIXTURES_2.replace(/\/+$/, '')}/`)
  : new URL('../../../test/fixtures/2/', import.meta.url)

/** A message of the second set of fixtures, with the subject that it is published to. */
export interface FixtureMessage {
  subject: string
  bytes: Uint8Array
  /** messages of one transaction keep their order when messages are shuffled; '' for messages without a transaction */
  signature: string
}

/** `expected.json` as it stands; test/fixtures/2/README.md describes it. */
export type FixtureAnswers = Record<string, Json>

const CONTROL = controlSubjectOf(DEFAULT_SUBJECT_PREFIX, '')

/** The messages of test/fixtures/2 in the order of the file, control messages among them. */
export async function readSecondFixtures(): Promise<FixtureMessage[]> {
  const file = await readFile(new URL('messages.jsonl', FIXTURES))
  const lines = file.toString('latin1').split('\n').slice(0, -1)
  return toFixtureMessages(lines.map(line => Buffer.from(line, 'latin1')))
}

/** Lines of a set of fixtures with the subjects that they are published to. */
export const toFixtureMessages = (lines: readonly Uint8Array[]): FixtureMessage[] =>
  lines.map(toFixtureMessage)

function toFixtureMessage(bytes: Uint8Array): FixtureMessage {
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    return { subject: subjectOf(DEFAULT_SUBJECT_PREFIX, undefined), bytes, signature: '' }
  }
  const { subject, message, event_name, signature } = (parsed ?? {}) as Record<string, unknown>
  const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
  if (typeof subject === 'string' && subject.startsWith(CONTROL)) {
    const { signature: retracted } = (message ?? {}) as { signature?: unknown }
    return { subject, bytes: Buffer.from(JSON.stringify(message)), signature: textOf(retracted) }
  }
  return { subject: subjectOf(DEFAULT_SUBJECT_PREFIX, event_name), bytes, signature: textOf(signature) }
}

/** `expected.json` of the second set, with integers beyond 2⁵³ as bigint. */
export async function readSecondAnswers(): Promise<FixtureAnswers> {
  return readJson(await readFile(new URL('expected.json', FIXTURES), 'utf8')) as FixtureAnswers
}

/** Shuffles messages by a seed. Messages of one transaction keep their order, because there the order has a meaning. */
export function shuffleFixtures(messages: readonly FixtureMessage[], seed: number): FixtureMessage[] {
  let state = seed >>> 0
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  const groups = new Map<string, number[]>()
  messages.forEach(({ signature }, at) => {
    const key = signature || `message ${at}`
    const group = groups.get(key)
    if (group) group.push(at)
    else groups.set(key, [at])
  })
  const ordered: { at: number; key: number }[] = []
  for (const group of groups.values()) {
    const keys = group.map(next).sort((a, b) => a - b)
    group.forEach((at, nth) => ordered.push({ at, key: keys[nth]! }))
  }
  return ordered.sort((a, b) => a.key - b.key).map(({ at }) => messages[at]!)
}

/**
 * The messages that contradict an earlier message of the set: the same event with other data, another slot or another
 * time, without a retraction. Ingest keeps the copy that it stores first, so such a message must not overtake the message
 * that it contradicts. After a crash, unacknowledged messages come again later than messages after them.
 */
export function findContradictions(messages: readonly FixtureMessage[]): Set<FixtureMessage> {
  const retracted = new Set(
    messages.filter(({ subject }) => subject === `${CONTROL}retracted`).map(({ signature }) => signature),
  )
  const fingerprints = new Map<string, string>()
  const contradictions = new Set<FixtureMessage>()
  for (const message of messages) {
    const read = readMessage(message.bytes, { programId: DEFAULT_PROGRAM_ID, requireProgramId: false })
    if (!read.ok || retracted.has(message.signature)) continue
    const { id, fingerprint } = read.event
    const first = fingerprints.get(id)
    if (first === undefined) fingerprints.set(id, fingerprint)
    else if (first !== fingerprint) contradictions.add(message)
  }
  return contradictions
}
