// A Solana node as programs see it: JSON-RPC over HTTP, notifications over WebSocket.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'
import { answerRpc, RpcError, slotAt } from './answer-rpc.js'
import { noFaults, type NodeFaults, type RpcAnswer } from './node-faults.js'
import type { SimulatedChain, SimulatedTransaction } from './simulated-chain.js'

export interface SimulatedNode {
  readonly url: string
  readonly wsUrl: string
  readonly faults: NodeFaults
  /** how often each method was called */
  readonly calls: Map<string, number>
  close(): Promise<void>
}

interface Request {
  jsonrpc: '2.0'
  id: number | string
  method: string
  params?: readonly unknown[]
}

/**
 * @param port default a free one
 * @param address of this machine that the node listens on
 */
export async function openSimulatedNode(
  chain: SimulatedChain,
  port = 0,
  address = '127.0.0.1',
): Promise<SimulatedNode> {
  const faults = noFaults()
  const calls = new Map<string, number>()

  const answer = ({ id, method, params = [] }: Request): string => {
    calls.set(method, (calls.get(method) ?? 0) + 1)
    const answered = { jsonrpc: '2.0' as const, id, ...answerOrError(chain, faults, method, params) }
    const altered = faults.alter ? faults.alter(method, answered, params) : answered
    return typeof altered === 'string' ? altered : JSON.stringify(altered)
  }

  const server = createServer((request, response) => {
    void (async () => {
      const body = await readBody(request)
      if (faults.delayMs > 0) await new Promise(resolve => setTimeout(resolve, faults.delayMs))
      if (faults.down) return void request.socket.destroy()
      if (faults.rateLimited > 0) {
        faults.rateLimited -= 1
        return void response.writeHead(429, { 'retry-after': '0' }).end()
      }
      const parsed = JSON.parse(body) as Request | Request[]
      const text = Array.isArray(parsed) ? `[${parsed.map(answer).join(',')}]` : answer(parsed)
      response.writeHead(200, { 'content-type': 'application/json' }).end(text)
    })().catch((error: Error) => response.writeHead(500).end(error.message))
  })
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', socket => serveSocket(socket, chain, faults))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, address, resolve)
  })
  const host = `${address}:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${host}`,
    wsUrl: `ws://${host}`,
    faults,
    calls,
    close: () =>
      new Promise(resolve => {
        for (const socket of sockets.clients) socket.terminate()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function answerOrError(...call: Parameters<typeof answerRpc>): Pick<RpcAnswer, 'result' | 'error'> {
  try {
    return { result: answerRpc(...call) }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    const { code, message, data } = error
    return { error: { code, message, data } }
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** Answers `logsSubscribe` and notifies of the transactions that name the account. */
function serveSocket(socket: WebSocket, chain: SimulatedChain, faults: NodeFaults): void {
  const subscriptions = new Map<number, { account: string; level: string }>()
  let next = 1
  const notify = (
    level: string,
    slot: number,
    { signature, err, logMessages, accountKeys }: SimulatedTransaction,
  ) => {
    if (faults.silentSockets || faults.down || slot > slotAt(chain, faults, level)) return
    for (const [subscription, wanted] of subscriptions) {
      if (wanted.level !== level || !accountKeys.includes(wanted.account)) continue
      const value = { signature, err, logs: logMessages }
      const params = { result: { context: { slot }, value }, subscription }
      socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'logsNotification', params }))
    }
  }
  chain.listeners.add(notify)
  socket.on('close', () => chain.listeners.delete(notify))
  socket.on('error', () => socket.terminate())
  socket.on('message', (data: Buffer) => {
    const { id, method, params = [] } = JSON.parse(data.toString('utf8')) as Request
    if (method === 'logsSubscribe') {
      const [filter, options] = params as [{ mentions: string[] }, { commitment?: string } | undefined]
      subscriptions.set(next, { account: filter.mentions[0]!, level: options?.commitment ?? 'finalized' })
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: next++ }))
    } else if (method === 'logsUnsubscribe') {
      subscriptions.delete((params as [number])[0])
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: true }))
    } else if (method !== 'ping') {
      socket.send(
        JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }),
      )
    }
  })
}
