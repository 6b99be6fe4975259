import { readExactly, type Value } from './codecs.js'
import { DISCRIMINATOR_BYTES, discriminatorOf, EVENT_LAYOUTS } from './layouts.js'

export type EventData = Record<string, Value>

export type ReadEvent =
  | { name: string; data: EventData }
  | { unreadable: 'EMPTY' | 'UNKNOWN_EVENT' | 'UNKNOWN_LAYOUT'; name?: string }

const NAMES = new Map(
  Object.keys(EVENT_LAYOUTS).map(name => [discriminatorOf('event', name).toString('hex'), name]),
)

/** Reads the bytes of one `emit!`. Bytes that no layout fits exactly are reported, never guessed. */
export function readEventBytes(bytes: Uint8Array): ReadEvent {
  if (bytes.length < DISCRIMINATOR_BYTES) return { unreadable: 'EMPTY' }
  const name = NAMES.get(Buffer.from(bytes.subarray(0, DISCRIMINATOR_BYTES)).toString('hex'))
  if (name === undefined) return { unreadable: 'UNKNOWN_EVENT' }
  const body = bytes.subarray(DISCRIMINATOR_BYTES)
  for (const layout of EVENT_LAYOUTS[name]!) {
    const data = readExactly(layout, body)
    if (data !== undefined) return { name, data: data as EventData }
  }
  return { unreadable: 'UNKNOWN_LAYOUT', name }
}

/**
 * The bytes that the program logs for an event, for simulated chains.
 * @param version 0 for the newest layout, 1 for the previous layout, …
 */
export function writeEventBytes(name: string, data: EventData, version = 0): Uint8Array {
  const layout = EVENT_LAYOUTS[name]?.[version]
  if (layout === undefined) throw new RangeError(`${name} has no layout ${version}`)
  return Buffer.concat([discriminatorOf('event', name), Buffer.from(layout.encode(data))])
}
