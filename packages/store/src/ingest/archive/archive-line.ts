// A line of an archive: the message of an event as the indexer sends it, with the event's id and position. `data` stands
// last, so that its text can be cut out of the line with every digit that was received.

/** An event as an archive holds it. */
export interface ArchiveLine {
  id: string
  position: bigint
  slot: bigint
  signature: string
  index: bigint
  transactionIndex: bigint
  commitment: string
  name: string
  occurredAt: Date
  /** JSON text */
  data: string
}

const DATA = ',"data":'

export const writeArchiveLine = (event: ArchiveLine): string =>
  `{"id":"${event.id}","position":${event.position},"slot":${event.slot},"signature":"${event.signature}",` +
  `"index":${event.index},"transaction_index":${event.transactionIndex},"commitment":"${event.commitment}",` +
  `"event_name":"${event.name}","timestamp":"${event.occurredAt.toISOString()}"${DATA}${event.data}}`

interface Head {
  id: string
  position: number
  slot: number
  signature: string
  index: number
  transaction_index: number
  commitment: string
  event_name: string
  timestamp: string
}

/** @throws SyntaxError for a line that `writeArchiveLine` does not write */
export function readArchiveLine(line: string): ArchiveLine {
  // No text before it can hold its quotes.
  const at = line.indexOf(DATA)
  const head = JSON.parse(`${line.slice(0, at)}}`) as Head
  const event: ArchiveLine = {
    id: head.id,
    position: BigInt(head.position),
    slot: BigInt(head.slot),
    signature: head.signature,
    index: BigInt(head.index),
    transactionIndex: BigInt(head.transaction_index),
    commitment: head.commitment,
    name: head.event_name,
    occurredAt: new Date(head.timestamp),
    data: line.slice(at + DATA.length, -1),
  }
  if (at === -1 || writeArchiveLine(event) !== line) throw new SyntaxError('a line of the archive is broken')
  return event
}
