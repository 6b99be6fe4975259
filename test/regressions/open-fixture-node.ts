// A node that answers from a file: a chain of one slot, 100, whose transactions and faults the file names.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFileSync } from 'node:fs'

/** Answers of a method: what stands behind `jsonrpc` and `id`; a string is sent as it is. */
export type Answers = Record<string, (parameters: readonly unknown[]) => object | string>

export const readFixture = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL(`../fixtures/chain/${name}.json`, import.meta.url), 'utf8')) as Record<
    string,
    unknown
  >

export type Transaction = Record<string, unknown> & { transaction: { signatures: string[] } }

/** The slot of a fixture again and again, from 100 on: in each, signatures end in another digit. */
export const repeatSlot = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => {
    const text = JSON.stringify(readFixture(name))
      .replaceAll('"slot":100', `"slot":${100 + at}`)
      .replaceAll(/"(\w{86,87})\w"/g, `"$1${'123456789ABCDEF'[at]!}"`)
    return JSON.parse(text) as {
      getSignaturesForAddress: { signature: string }[]
      getTransaction: Transaction[]
    }
  })

/** A node that knows the transactions of a fixture, in slot 100. @param changes answers in place of the right ones */
export async function openFixtureNode(
  t: { teardown: (end: () => unknown) => void },
  fixture: Record<string, unknown>,
  changes: Answers = {},
) {
  const transactions = [fixture.getTransaction ?? []].flat() as Transaction[]
  const find = ([signature]: readonly unknown[]) =>
    transactions.find(({ transaction }) => transaction.signatures[0] === signature) ?? null
  const answers: Answers = {
    getGenesisHash: () => ({ result: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' }),
    getFirstAvailableBlock: () => ({ result: 0 }),
    getSlot: () => ({ result: 200 }),
    getSignaturesForAddress: ([, options]) => ({
      result: (options as { before?: string }).before === undefined ? fixture.getSignaturesForAddress : [],
    }),
    getTransaction: parameters => ({ result: find(parameters) }),
    getBlock: () => ({
      error: { code: -32009, message: 'Slot 100 was skipped, or missing in long-term storage' },
    }),
    getBlocks: () => ({ result: [] }),
    ...changes,
  }
  const asked: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as {
        id: unknown
        method: string
        params: unknown[]
      }
      asked.push(method)
      const answer = answers[method]?.(params) ?? { error: { code: -32601, message: 'Method not found' } }
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(typeof answer === 'string' ? answer : JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
    })
  })
  // It has no sockets.
  server.on('upgrade', (_, socket) => socket.destroy())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => new Promise(resolve => server.close(resolve).closeAllConnections()))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}
