import {
  discriminatorOf,
  INSTRUCTION_EVENTS,
  writeEventBytes,
  type EventData,
  type Value,
} from '@payment-tracking/chain'
import type { PuppetCall } from './puppet.js'

const DIRECT_TRANSFER = '11111111111111111111111111111111'

/** The instruction by which the program emits an event. */
function instructionOf(name: string, data: Record<string, unknown>): string {
  if (name === 'PaymentRecord')
    return data.payment_policy === DIRECT_TRANSFER ? 'transfer' : 'execute_payment'
  const found = Object.entries(INSTRUCTION_EVENTS).find(([, events]) =>
    events.some(each => each.name === name),
  )
  if (!found) throw new RangeError(`no instruction of the program emits ${name}`)
  return found[0]
}

/** Converts `{"variant": "Custom", "field": "60"}` to `{"Custom": "60"}`, the style of the layouts. */
function toTagged(value: unknown): Value {
  if (Array.isArray(value)) return value.map(toTagged)
  if (typeof value !== 'object' || value === null) return value as Value
  const { variant, ...rest } = value as Record<string, unknown>
  const tagged = Object.fromEntries(Object.entries(rest).map(([name, each]) => [name, toTagged(each)]))
  if (typeof variant !== 'string') return tagged
  if (Object.keys(rest).length === 0) return { [variant]: null }
  return { [variant]: 'field' in tagged ? tagged.field! : tagged }
}

/** Adds the members that older messages lack, as the program would write them. */
function complete(name: string, data: EventData): EventData {
  if (name !== 'PaymentPolicyCreated') return data
  return { created_policies_count: (data.policy_id as number) - 1, ...data }
}

/**
 * A call of the program that emits one event, as the program itself would.
 * @param data members of the event, enums in either style of the message format
 */
export function emitEvent(program: string, name: string, data: Record<string, unknown>): PuppetCall {
  const fields = complete(name, toTagged(data) as EventData)
  // Older programs logged no payer, recipient and mint.
  const version = name === 'PaymentRecord' && fields.payer === undefined ? 1 : 0
  return {
    program,
    discriminator: discriminatorOf('global', instructionOf(name, data)),
    steps: [{ log: writeEventBytes(name, fields, version) }],
  }
}
