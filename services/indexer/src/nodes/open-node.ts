// One Solana node. Calls use Solana's RPC client with this service's own transport. The client's default reads every
// integer as a bigint, which costs more CPU than all other work, and no number here needs more than 53 bits.
import { createJsonRpcApi, createRpc, type Rpc, type RpcApi, type RpcTransport } from '@solana/rpc-spec'
import type { RpcRequest } from '@solana/rpc-spec-types'
import {
  readAnswer,
  type Answer,
  type NodeMethod,
  type NodeResult,
  type RawBlock,
  type RawTransaction,
} from './answers.js'
import { readTokenAccount, TOKEN_ACCOUNT_BYTES, type TokenAccount } from '@payment-tracking/chain'
import { NodeError, type NodeFault } from './node-error.js'
import { openJsonPoster, type JsonPoster } from './post-json.js'

export type NodeCommitment = 'confirmed' | 'finalized'

/** An entry of `getSignaturesForAddress`. */
export interface ListedTransaction {
  signature: string
  slot: number
  failed: boolean
  transactionIndex: number | null
  /** the lists lack the slot, or whether the transaction failed: they differ, or leave it out */
  isDisputed?: boolean
}

type Method<Parameters extends unknown[], Answer> = (...parameters: Parameters) => Answer
interface NodeApi {
  getGenesisHash: Method<[], NodeResult<'getGenesisHash'>>
  getFirstAvailableBlock: Method<[], NodeResult<'getFirstAvailableBlock'>>
  getSlot: Method<[{ commitment: NodeCommitment }], NodeResult<'getSlot'>>
  getSignaturesForAddress: Method<[string, object], NodeResult<'getSignaturesForAddress'>>
  getTransaction: Method<[string, object], NodeResult<'getTransaction'>>
  getBlock: Method<[number, object], NodeResult<'getBlock'>>
  getBlocks: Method<[number, number, object], NodeResult<'getBlocks'>>
  getMultipleAccounts: Method<[string[], object], NodeResult<'getMultipleAccounts'>>
  getTokenAccountsByOwner: Method<[string, { mint: string }, object], NodeResult<'getTokenAccountsByOwner'>>
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
const TOKEN_ACCOUNT_OPTIONS = {
  commitment: 'finalized',
  encoding: 'base64',
  dataSlice: { offset: 0, length: TOKEN_ACCOUNT_BYTES },
}
/** The newest transaction version that the indexer reads. For a newer version, a node refuses the whole block. */
const MAX_VERSION = 1

/**
 * JSON-RPC codes of Solana nodes, by the method that they belong to: -32004 and -32014 are a block not available yet,
 * -32016 a slot not reached, -32011 no history. -32005, an unhealthy node, belongs to every method. Any other code is
 * `wrong`.
 */
const FAULTS: Partial<Record<NodeMethod, Readonly<Record<number, NodeFault>>>> = {
  getBlock: { [-32004]: 'not-ready', [-32014]: 'not-ready', [-32011]: 'unfit' },
  getSignaturesForAddress: { [-32016]: 'behind', [-32011]: 'unfit' },
  getTransaction: { [-32011]: 'unfit' },
}
const UNHEALTHY = -32005
/**
 * Codes by which a node that is well says that it has no answer. A block: the slot was skipped, or the node no longer keeps it. The
 * accounts of an owner: the node has no index of them (-32010), does not offer the method, knows no such mint, or gave up.
 */
const NO_ANSWER: Partial<Record<NodeMethod, ReadonlySet<number>>> = {
  getBlock: new Set([-32001, -32007, -32009]),
  getTokenAccountsByOwner: new Set([-32010, -32601, -32602, -32603]),
}

export class ChainNode {
  readonly name: string
  readonly #rpc: Rpc<NodeApi>
  readonly #poster: JsonPoster

  constructor({ url, name, onRequest }: NodeOptions) {
    this.name = name
    const api = createJsonRpcApi({
      responseTransformer: (response: unknown) => (response as { result: unknown }).result,
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
      failed: (err ?? null) !== null,
      transactionIndex: transactionIndex ?? null,
      // Without `err` only the transaction itself tells whether it failed.
      ...(err === undefined && { isDisputed: true }),
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
      if (error instanceof NoAnswer) return undefined
      throw error
    }
  }

  /** The slots with blocks between two slots, both included, in their order. */
  async blocks(from: number, to: number): Promise<number[]> {
    const slots = await this.#rpc.getBlocks(from, to, { commitment: 'finalized' }).send()
    if (slots.some((slot, at) => slot < from || slot > to || slot <= (slots[at - 1] ?? -1)))
      throw new NodeError('wrong', `${this.name} answered getBlocks(${from}, ${to}) with other slots`)
    return slots
  }

  /** @returns the accounts' data at a slot; null for a missing account */
  async accounts(keys: readonly string[]): Promise<{ slot: number; data: (Uint8Array | null)[] }> {
    const options = { commitment: 'finalized', encoding: 'base64' }
    const { context, value } = await this.#rpc.getMultipleAccounts([...keys], options).send()
    if (value.length !== keys.length)
      throw new NodeError('wrong', `${this.name} answered getMultipleAccounts with ${value.length} accounts`)
    const data = value.map(account => (account ? Buffer.from(account.data[0], 'base64') : null))
    return { slot: context.slot, data }
  }

  /** @returns the token accounts of addresses at a slot; null for what is none */
  async tokenAccounts(keys: readonly string[]): Promise<{ slot: number; accounts: (TokenAccount | null)[] }> {
    const { context, value } = await this.#rpc.getMultipleAccounts([...keys], TOKEN_ACCOUNT_OPTIONS).send()
    if (value.length !== keys.length)
      throw new NodeError('wrong', `${this.name} answered getMultipleAccounts with ${value.length} accounts`)
    const accounts = value.map(account => account && this.#readTokenAccount('getMultipleAccounts', account))
    return { slot: context.slot, accounts }
  }

  /**
   * All token accounts of a wallet and a mint, at a slot. A node looks through an index for them: it costs far more than a reading.
   * @returns undefined where the node cannot say
   */
  async accountsOfOwner(
    owner: string,
    mint: string,
  ): Promise<{ slot: number; accounts: TokenAccount[] } | undefined> {
    const method = 'getTokenAccountsByOwner'
    try {
      const { context, value } = await this.#rpc[method](owner, { mint }, TOKEN_ACCOUNT_OPTIONS).send()
      const accounts = value.flatMap(({ account }) => this.#readTokenAccount(method, account) ?? [])
      if (accounts.some(account => account.owner !== owner || account.mint !== mint))
        throw new NodeError('wrong', `${this.name} answered ${method} with accounts of others`)
      return { slot: context.slot, accounts }
    } catch (error) {
      if (error instanceof NoAnswer) return undefined
      throw error
    }
  }

  #readTokenAccount(
    method: NodeMethod,
    { owner, data }: { owner?: string; data: [string, 'base64'] },
  ): TokenAccount | null {
    if (owner === undefined) throw new NodeError('wrong', `${this.name} answered ${method} without owners`)
    return readTokenAccount(owner, Buffer.from(data[0], 'base64'))
  }
}

class NoAnswer extends Error {}

/** @returns NoAnswer where the node says so */
function toError(
  { code, message }: { code: number; message: string },
  name: string,
  method: NodeMethod,
): Error {
  if (NO_ANSWER[method]?.has(code)) return new NoAnswer()
  const fault = code === UNHEALTHY ? 'behind' : (FAULTS[method]?.[code] ?? 'wrong')
  return new NodeError(fault, `${name} answered ${method} with ${code}: ${message}`)
}

function buildTransport(poster: JsonPoster, name: string, onRequest: OnRequest): RpcTransport {
  return async <Response>({ payload }: Parameters<RpcTransport>[0]): Promise<Response> => {
    const { method } = payload as RpcRequest & { method: NodeMethod }
    try {
      const answer = await exchange(poster, name, method, payload)
      if ('error' in answer) throw toError(answer.error, name, method)
      onRequest(method, 'ok')
      return answer as Response
    } catch (error) {
      onRequest(method, error instanceof NodeError ? error.fault : 'ok')
      throw error
    }
  }
}

/** @throws NodeError when the node gives no answer in the form of the method */
async function exchange(
  poster: JsonPoster,
  name: string,
  method: NodeMethod,
  payload: unknown,
): Promise<Answer> {
  const reply = await poster.post(JSON.stringify(payload)).catch((error: unknown) => {
    throw new NodeError('down', `${name} did not answer ${method}: ${describe(error)}`)
  })
  const { statusCode, retryAfterSeconds, body } = reply
  if (statusCode === 429)
    throw new NodeError('rate-limited', `${name} answered 429 to ${method}`, retryAfterSeconds * 1_000)
  if (statusCode < 200 || statusCode > 299)
    throw new NodeError('down', `${name} answered ${statusCode} to ${method}`)
  return readAnswer(parse(body, name, method), name, method)
}

/** Only the reason: the error's own text may hold the address. */
function describe(error: unknown): string {
  const { name, code, cause } = error as Error & { code?: unknown; cause?: { code?: string } }
  return cause?.code ?? (typeof code === 'string' ? code : name)
}

function parse(text: string, name: string, method: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new NodeError('wrong', `${name} answered ${method} with something that is no JSON`)
  }
}
