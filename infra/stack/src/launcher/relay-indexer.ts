// Shows an operator at the terminal the progress of a backfill, and unsuitable nodes.
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { repeat } from '@payment-tracking/runtime'

interface Line {
  msg?: string
  node?: string
  reason?: string
  cure?: string
  err?: { message?: string }
  [name: string]: unknown
}

const CHECK_MS = 500

/** One sentence for each event of the indexer's log that an operator needs. */
const SENTENCES: Readonly<Record<string, (line: Line) => string>> = {
  'indexer.following': ({ through, resumed }) =>
    resumed ? `chain: goes on after slot ${String(through)}` : 'chain: begins to read',
  'indexer.listing': ({ transactions, backToSlot }) =>
    `chain: ${String(transactions)} transactions listed, back to slot ${String(backToSlot)}`,
  'indexer.backfilling': ({ transactions, ofAbout, perSecond, throughSlot }) =>
    `chain: ${String(transactions)} of about ${String(ofAbout)} transactions read, ${String(perSecond)} a second, ` +
    `through slot ${String(throughSlot)}`,
  'indexer.backfilled': ({ transactions, perSecond }) =>
    `chain: has caught up, ${String(transactions)} transactions at ${String(perSecond)} a second`,
  'indexer.caught-up': ({ through }) => `chain: everything up to slot ${String(through)} is published`,
  'indexer.nodes-disagree': ({ node, signature }) =>
    `chain: node ${node} contradicts the others on transaction ${String(signature)}`,
  'indexer.node-unfit': ({ node, reason, cure }) => `chain: node ${node}: ${reason}; ${cure}`,
  'indexer.node-lagging': ({ node, lagSlots }) =>
    `chain: node ${node} is ${String(lagSlots)} slots behind the others`,
  'indexer.node-recovered': ({ node }) => `chain: node ${node} answers again`,
  'indexer.one-node-alone': ({ cure }) => `chain: there is only one node; ${cure}`,
  'indexer.list-incomplete': ({ reason }) => `chain: cannot go on yet: ${reason}`,
  'indexer.interrupted': ({ err }) => `chain: interrupted, begins again: ${err?.message}`,
  'service.failed': ({ err }) => `chain: the indexer ends: ${err?.message}`,
}

/**
 * Shows the indexer's new log lines as sentences.
 * @param file the indexer's log; the file need not exist yet
 * @returns a function that ends the relay
 */
export function relayIndexer(file: string, log: (line: string) => void): () => Promise<void> {
  let offset = sizeOf(file)
  let rest = ''
  const check = () => {
    const size = sizeOf(file)
    // The log was rotated.
    if (size < offset) offset = 0
    if (size === offset) return
    const bytes = Buffer.alloc(size - offset)
    const descriptor = openSync(file, 'r')
    try {
      readSync(descriptor, bytes, 0, bytes.length, offset)
    } finally {
      closeSync(descriptor)
    }
    offset = size
    const lines = (rest + bytes.toString('utf8')).split('\n')
    rest = lines.pop()!
    for (const text of lines) {
      const sentence = describe(text)
      if (sentence !== undefined) log(sentence)
    }
  }
  const checking = repeat({
    everyMs: CHECK_MS,
    run: check,
    onError: error => log(`chain: the log of the indexer cannot be read: ${String(error)}`),
  })
  checking.start()
  return () => checking.stop()
}

function describe(text: string): string | undefined {
  try {
    const line = JSON.parse(text) as Line
    return SENTENCES[line.msg ?? '']?.(line)
  } catch {
    return undefined
  }
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch {
    return 0
  }
}
