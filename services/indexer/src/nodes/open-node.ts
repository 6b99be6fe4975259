// One Solana node. Calls use kit's RPC with this service's own transport. Kit's default reads every integer as a
// bigint, which costs more CPU than all other work, and no number here needs more than 53 bits.
import {
  createJsonRpcApi,
  createRpc,
  type Rpc,
  type RpcApi,
  type RpcRequest,
  type RpcTransport,
} from '@solana/kit'
import { NodeError } from './node-error.js'
import { openJsonPoster, type JsonPoster } from './post-json.js'

export type NodeCommitment = 'confirmed' | 'finalized'

/** An entry of `getSignaturesForAddress`. */
export interface ListedTransaction {
  signature: string
  slot: number
  failed: boolean
  transactionIndex: number | null
  /** two nodes list the transaction with different slots, or only one of them lists it as failed */
  isDisputed?: boolean
}

interface RawSignature {
  signature: string
  slot: number
  err: unknown
  transactionIndex?: number | null
}

interface RawInstruction {
  programIdIndex: number
  data: string
  stackHeight?: number | null
}

/** The used part of an answer of `getTransaction` with encoding `json`. */
export interface RawTransaction {
  slot: number
  blockTime: number | null
  transactionIndex?: number | null
  meta: {
    err: unknown
    logMessages: string[] | null
    innerInstructions: { index: number; instructions: RawInstruction[] }[] | null
    loadedAddresses?: { writable: string[]; readonly: string[] } | null
  } | null
  transaction: { signatures: string[]; message: { accountKeys: string[]; instructions: RawInstruction[] } }
}

export interface RawBlock {
  parentSlot: number
  signatures: string[]
}

type Method<Parameters extends unknown[], Answer> = (...parameters: Parameters) => Answer
interface NodeApi {
  getGenesisHash: Method<[], string>
  getFirstAvailableBlock: Method<[], number>
  getSlot: Method<[{ commitment: NodeCommitment }], number>
  getSignaturesForAddress: Method<[string, object], RawSignature[]>
  getTransaction: Method<[string, object], RawTransaction | null>
  getBlock: Method<[number, object], RawBlock | null>
  getBlocks: Method<[number, number, object], number[]>
  getMultipleAccounts: Method<
    [string[], object],
    { context: { slot: number }; value: ({ data: [string, string] } | null)[] }
  >
}

/** `ok` or the fault, for metrics. */
export type OnRequest = (method: string, result: string) => void

export interface NodeOptions {
  url: string
  /** its name in logs and metrics: the host, because the address may hold a key */
  name: string
  onRequest: OnRequest
}

export const PAGE = 1_000
/** The newest transaction version that the indexer reads. For a newer version, a node refuses the whole block. */
const MAX_VERSION = 1

/** JSON-RPC codes of Solana nodes: -32016 is a slot not reached, -32004 a block not available yet, -32005 unhealthy. */
const BEHIND: ReadonlySet<number> = new Set([-32016, -32004, -32005, -32014])
/** A skipped slot, or a block that the node no longer keeps. */
const NO_BLOCK: ReadonlySet<number> = new Set([-32001, -32007, -32009])

interface Answer {
  result?: unknown
  error?: { code: number; message: string }
}

export class ChainNode {
  readonly name: string
  readonly #rpc: Rpc<NodeApi>
  readonly #poster: JsonPoster

  constructor({ url, name, onRequest }: NodeOptions) {
    this.name = name
    const api = createJsonRpcApi({
      responseTransformer: (response: unknown) => (response as Answer).result,
    }) as unknown as RpcApi<NodeApi>
    this.#poster = openJsonPoster(url)
    this.#rpc = createRpc({ api, transport: buildTransport(this.#poster, name, onRequest) })
  }

  /** Ends the connections to the node. */
  close = (): Promise<void> => this.#poster.close()

  genesisHash = (): Promise<string> => this.#rpc.getGenesisHash().send()

  /** The oldest slot that the node keeps. */
  firstAvailableBlock = (): Promise<number> => this.#rpc.getFirstAvailableBlock().send()

  slot = (commitment: NodeCommitment): Promise<number> => this.#rpc.getSlot({ commitment }).send()

  /**
   * A page of the transactions with an account, newest first, at most PAGE.
   * @param before a signature; the page begins with the next older transaction
   * @param minContextSlot the slot that the node must have reached
   */
  async list(
    account: string,
    commitment: NodeCommitment,
    minContextSlot: number,
    before?: string,
  ): Promise<ListedTransaction[]> {
    const options = { commitment, limit: PAGE, minContextSlot, ...(before !== undefined && { before }) }
    const entries = await this.#rpc.getSignaturesForAddress(account, options).send()
    return entries.map(({ signature, slot, err, transactionIndex }) => ({
      signature,
      slot,
      failed: err !== null,
      transactionIndex: transactionIndex ?? null,
    }))
  }

  transaction(signature: string, commitment: NodeCommitment): Promise<RawTransaction | null> {
    const options = { commitment, encoding: 'json', maxSupportedTransactionVersion: MAX_VERSION }
    return this.#rpc.getTransaction(signature, options).send()
  }

  /** @returns undefined when the slot holds no block */
  async block(slot: number, commitment: NodeCommitment): Promise<RawBlock | undefined> {
    const options = {
      commitment,
      transactionDetails: 'signatures',
      rewards: false,
      maxSupportedTransactionVersion: MAX_VERSION,
    }
    try {
      return (await this.#rpc.getBlock(slot, options).send()) ?? undefined
    } catch (error) {
      if (error instanceof NoBlock) return undefined
      throw error
    }
  }

  blocks = (from: number, to: number): Promise<number[]> =>
    this.#rpc.getBlocks(from, to, { commitment: 'finalized' }).send()

  /** @returns the accounts' data at a slot; null for a missing account */
  async accounts(keys: readonly string[]): Promise<{ slot: number; data: (Uint8Array | null)[] }> {
    const options = { commitment: 'finalized', encoding: 'base64' }
    const { context, value } = await this.#rpc.getMultipleAccounts([...keys], options).send()
    const data = value.map(account => (account ? Buffer.from(account.data[0], 'base64') : null))
    return { slot: context.slot, data }
  }
}

class NoBlock extends Error {}

function buildTransport(poster: JsonPoster, name: string, onRequest: OnRequest): RpcTransport {
  return async <Response>({ payload }: Parameters<RpcTransport>[0]): Promise<Response> => {
    const { method } = payload as RpcRequest & { method: string }
    const answer = await exchange(poster, name, method, payload).catch((error: NodeError) => {
      onRequest(method, error.fault)
      throw error
    })
    if (answer.error) {
      const { code, message } = answer.error
      if (NO_BLOCK.has(code)) throw new NoBlock()
      const fault = BEHIND.has(code) ? 'behind' : 'wrong'
      onRequest(method, fault)
      throw new NodeError(fault, `${name} answered ${method} with ${code}: ${message}`)
    }
    onRequest(method, 'ok')
    return answer as Response
  }
}

/** @throws NodeError when the node gives no JSON answer */
async function exchange(poster: JsonPoster, name: string, method: string, payload: unknown): Promise<Answer> {
  const reply = await poster.post(JSON.stringify(payload)).catch((error: unknown) => {
    throw new NodeError('down', `${name} did not answer ${method}: ${describe(error)}`)
  })
  const { statusCode, retryAfterSeconds, body } = reply
  if (statusCode === 429)
    throw new NodeError('rate-limited', `${name} answered 429 to ${method}`, retryAfterSeconds * 1_000)
  if (statusCode < 200 || statusCode > 299)
    throw new NodeError('down', `${name} answered ${statusCode} to ${method}`)
  return parse(body, name, method)
}

/** Only the reason: the error's own text may hold the address. */
function describe(error: unknown): string {
  const { name, code, cause } = error as Error & { code?: unknown; cause?: { code?: string } }
  return cause?.code ?? (typeof code === 'string' ? code : name)
}

function parse(text: string, name: string, method: string): Answer {
  try {
    return JSON.parse(text) as Answer
  } catch {
    throw new NodeError('wrong', `${name} answered ${method} with something that is no JSON`)
  }
}
