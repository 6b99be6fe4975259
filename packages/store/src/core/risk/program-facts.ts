// What a due payment needs to know of the program and its gateways: whether the program is paused, and who takes fees.
// These events are rare and nothing else is derived from them, so the newest that is valid is looked up when it is needed.
import { isPublicKey, readJson, type ChainEvent } from '@payment-tracking/domain'
import { raw, sql, type PipelinedTx, type Sql } from '../database/sql.js'

interface ProgramFact {
  eventId: string
  kind: 'paused' | 'fee_recipient'
  /** the gateway; empty for the program itself */
  gateway: string
  slot: number
  value: string
}

type Fields = Record<string, unknown>

/** By the name of an event: the fact, and what it says; undefined for a value that is none. */
const READERS: Readonly<Record<string, (data: Fields, event: ChainEvent) => Partial<ProgramFact>>> = {
  EmergencyPauseChanged: ({ is_paused: paused }) => ({
    kind: 'paused',
    gateway: '',
    ...(typeof paused === 'boolean' && { value: String(paused) }),
  }),
  ProgramConfigCreated: ({ fee_recipient: recipient }) => feeRecipient('', recipient),
  PaymentGatewayCreated: ({ fee_recipient: recipient }, { gateway }) => feeRecipient(gateway!, recipient),
  GatewayFeeRecipientChanged: ({ new_fee_recipient: recipient }, { gateway }) =>
    feeRecipient(gateway!, recipient),
}

const feeRecipient = (gateway: string, value: unknown): Partial<ProgramFact> => ({
  kind: 'fee_recipient',
  gateway,
  ...(typeof value === 'string' && isPublicKey(value) && { value }),
})

function factOf(event: ChainEvent): ProgramFact | undefined {
  const reader = READERS[event.name]
  if (reader === undefined) return undefined
  const { kind, gateway, value } = reader(readJson(event.data) as Fields, event)
  if (kind === undefined || gateway === undefined || value === undefined) return undefined
  return { eventId: event.id, kind, gateway, slot: event.slot, value }
}

/** Writes the facts of new events, whether they are valid or not. */
export function writeProgramFacts(tx: PipelinedTx, events: readonly { event: ChainEvent }[]): void {
  const facts = events.flatMap(({ event }) => factOf(event) ?? [])
  if (facts.length === 0) return
  tx.sendModel(client => client.programFact.createMany({ data: facts, skipDuplicates: true }))
}

/** Facts of one kind that a check compares, from the newest slot on: an authority can change its fees as often as it likes. */
const MOST_COMPARED = raw('20')

/** The newest valid fact, or null. Relies on program_facts_newest and the key of events. @param gateway '' is the program */
export const newestFact = (kind: ProgramFact['kind'], gateway: Sql): Sql => sql`
  (select f.value
     from (select * from program_facts f where f.kind = ${raw(`'${kind}'`)} and f.gateway = ${gateway}
            order by f.slot desc limit ${MOST_COMPARED}) f
     join events e on e.id = f.event_id and e.retracted_at is null
    order by e.slot desc, e.transaction_index desc, e.event_index desc, e.id desc limit 1)`
