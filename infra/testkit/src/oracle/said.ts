// What a publisher says, in values: one meaning, whichever style its JSON was written in.

/** A value of a Rust enum. */
export class Enum {
  constructor(
    readonly variant: string,
    readonly payload: Value = null,
  ) {}

  /** As the domain stores it. */
  toJSON() {
    return { [this.variant]: this.payload }
  }
}

/** `Uint8Array` is a memo, bigint an integer of 64 bits. */
export type Value = string | number | bigint | boolean | null | Uint8Array | Enum | readonly Value[] | Fields
export interface Fields {
  readonly [name: string]: Value
}

export interface SaidEvent {
  kind: 'event'
  name: string
  signature: string
  slot: number
  /** undefined: the publisher did not know */
  transactionIndex: number | undefined
  index: number | undefined
  finalized: boolean
  /** ms since 1970 */
  at: number
  data: Fields
}

export type Said =
  | SaidEvent
  | { kind: 'finalized'; slot: number }
  | { kind: 'retracted'; signature: string; slot: number }

export const isEvent = <Message extends Said>(
  message: Message,
): message is Extract<Message, { kind: 'event' }> => message.kind === 'event'

/** One text for one meaning. */
export function meaningOf(value: Value): string {
  if (value instanceof Enum) return `${value.variant}(${meaningOf(value.payload)})`
  if (value instanceof Uint8Array) return value.join()
  if (Array.isArray(value)) return `[${value.map(meaningOf).join()}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.entries(value as Fields).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, of]) => `${name}:${meaningOf(of)}`).join()}}`
}

export const text = (value: Value | undefined): string => `${value as string | number}`
