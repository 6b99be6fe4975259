// A node's answers to the calls of the indexer.
// Source: the JSON-RPC reference of Solana (docs.anza.xyz), for the shapes and the error codes.
import type { NodeFaults } from './node-faults.js'
import type { BlockTransaction, SimulatedChain } from './simulated-chain.js'

/** An error as JSON-RPC writes it. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message)
  }
}

interface CallOptions {
  commitment?: 'processed' | 'confirmed' | 'finalized'
  minContextSlot?: number
  limit?: number
  before?: string
  maxSupportedTransactionVersion?: number
  dataSlice?: { offset: number; length: number }
}

type Handler = (chain: SimulatedChain, faults: NodeFaults, parameters: readonly unknown[]) => unknown

/** The highest slot that this node has at a commitment. */
export function slotAt(chain: SimulatedChain, { lagSlots }: NodeFaults, commitment = 'finalized'): number {
  const level =
    commitment === 'processed' ? chain.tip : commitment === 'confirmed' ? chain.confirmed : chain.finalized
  return Math.max(chain.firstSlot - 1, level - lagSlots)
}

function levelOf(chain: SimulatedChain, faults: NodeFaults, options: CallOptions): number {
  const level = slotAt(chain, faults, options.commitment)
  if (options.minContextSlot !== undefined && options.minContextSlot > level) {
    throw new RpcError(-32016, 'Minimum context slot has not been reached', { contextSlot: level })
  }
  return level
}

const getSignatures: Handler = (chain, faults, [account, given]) => {
  const options = (given ?? {}) as CallOptions
  const level = levelOf(chain, faults, options)
  const { limit = 1_000, before } = options
  if (before !== undefined && faults.emptyPages) return []
  const from = before === undefined ? undefined : chain.find(before, level)
  if (before !== undefined && from === undefined) throw new RpcError(-32602, 'before: unknown signature')
  const invented = before === undefined ? faults.invented.filter(({ slot }) => slot <= level) : []
  const known = [...invented, ...chain.transactionsOf(account as string, level, limit, from)]
  const listed = known
    .sort((a, b) => b.slot - a.slot)
    .map(each => ({ ...each, transaction: faults.lies.get(each.transaction.signature) ?? each.transaction }))
    .filter(({ slot }) => slot >= faults.firstAvailableBlock)
    .filter(({ transaction }) => !faults.missing.has(transaction.signature))
    .map(({ slot, at, transaction, blockTime }) => ({
      signature: transaction.signature,
      slot,
      err: transaction.err,
      memo: null,
      blockTime: faults.nullTimes.has(transaction.signature) ? null : blockTime,
      confirmationStatus: slot <= chain.finalized ? 'finalized' : 'confirmed',
      ...(faults.noTransactionIndex ? {} : { transactionIndex: at }),
    }))
  if (!faults.untidyList) return listed
  return listed
    .flatMap((each, at) => (at % 3 === 0 ? [each, each] : [each]))
    .sort((a, b) => b.slot - a.slot || (a.signature < b.signature ? -1 : 1))
}

function renderTransaction({ slot, at, transaction, blockTime }: BlockTransaction, faults: NodeFaults) {
  const { signature, accountKeys, loadedKeys, instructions, inner, logMessages, err, version } = transaction
  const isStatic = accountKeys.length - loadedKeys
  const logs = faults.shortLogs.has(signature) ? [...logMessages.slice(0, 1), 'Log truncated'] : logMessages
  return {
    slot: faults.wrongSlots.has(signature) ? slot + 1 : slot,
    blockTime: faults.nullTimes.has(signature) ? null : blockTime,
    version,
    ...(faults.noTransactionIndex ? {} : { transactionIndex: at }),
    meta: {
      err,
      status: err === null ? { Ok: null } : { Err: err },
      fee: 5_000,
      logMessages: faults.noLogs ? null : logs,
      innerInstructions: inner.map(({ index, instructions: list }) => ({
        index,
        instructions: list.map(each => ({ ...each, accounts: [] })),
      })),
      loadedAddresses: { writable: [], readonly: accountKeys.slice(isStatic) },
      preBalances: [],
      postBalances: [],
    },
    transaction: {
      signatures: [signature],
      message: {
        accountKeys: accountKeys.slice(0, isStatic),
        header: {
          numRequiredSignatures: 1,
          numReadonlySignedAccounts: 0,
          numReadonlyUnsignedAccounts: isStatic - 1,
        },
        instructions: instructions.map(each => ({ ...each, accounts: [], stackHeight: 1 })),
        recentBlockhash: '11111111111111111111111111111111',
      },
    },
  }
}

const getTransaction: Handler = (chain, faults, [signature, given]) => {
  const options = (given ?? {}) as CallOptions
  const level = levelOf(chain, faults, options)
  const invented = faults.invented.find(
    each => each.transaction.signature === signature && each.slot <= level,
  )
  const found = invented ?? chain.find(signature as string, level)
  if (!found || faults.nullTransactions.has(signature as string)) return null
  const { version } = found.transaction
  const supported = options.maxSupportedTransactionVersion
  if (version !== 'legacy' && (supported === undefined || supported < version)) {
    throw new RpcError(-32015, `Transaction version (${version}) is not supported by the requesting client`)
  }
  const transaction = faults.lies.get(signature as string) ?? found.transaction
  return renderTransaction({ ...found, transaction }, faults)
}

const getBlock: Handler = (chain, faults, [slot, given]) => {
  const block = chain.blocks.get(slot as number)
  if ((slot as number) > slotAt(chain, faults, (given as CallOptions | undefined)?.commitment))
    throw new RpcError(-32004, `Block not available for slot ${slot as number}`)
  if (!block) throw new RpcError(-32007, `Slot ${slot as number} was skipped`)
  return {
    blockhash: '11111111111111111111111111111111',
    previousBlockhash: '11111111111111111111111111111111',
    blockTime: block.blockTime,
    blockHeight: block.slot,
    parentSlot: block.parentSlot,
    signatures: block.transactions.map(({ signature }) => signature),
  }
}

const SYSTEM_PROGRAM = '11111111111111111111111111111111'

function renderAccount(chain: SimulatedChain, key: string, { dataSlice }: CallOptions): unknown {
  const other = chain.accounts.get(key)
  const account = other ? { program: SYSTEM_PROGRAM, data: other } : chain.tokens.read(key)
  if (!account) return null
  const { offset, length } = dataSlice ?? { offset: 0, length: Infinity }
  const data = Buffer.from(account.data.slice(offset, offset + length))
  return {
    data: [data.toString('base64'), 'base64'],
    owner: account.program,
    lamports: 2_039_280,
    executable: false,
    rentEpoch: 0,
    space: account.data.length,
  }
}

const HANDLERS: Readonly<Record<string, Handler>> = {
  getHealth: () => 'ok',
  getGenesisHash: (chain, { genesisHash }) => genesisHash ?? chain.genesisHash,
  getFirstAvailableBlock: (_chain, { firstAvailableBlock }) => firstAvailableBlock,
  getSlot: (chain, faults, [given]) => levelOf(chain, faults, given ?? {}),
  getSignaturesForAddress: getSignatures,
  getTransaction,
  getBlock,
  getBlocks: (chain, faults, [from, to]) => {
    const level = Math.min(to as number, slotAt(chain, faults))
    return [...chain.blocks.keys()]
      .filter(slot => slot >= (from as number) && slot <= level)
      .sort((a, b) => a - b)
  },
  getMultipleAccounts: (chain, faults, [keys, given]) => ({
    context: { slot: levelOf(chain, faults, given ?? {}) },
    value: (keys as string[]).map(key => renderAccount(chain, key, (given ?? {}) as CallOptions)),
  }),
  getTokenAccountsByOwner: (chain, faults, [owner, filter, given]) => ({
    context: { slot: levelOf(chain, faults, given ?? {}) },
    value: chain.tokens
      .ofOwner(owner as string, (filter as { mint: string }).mint)
      .map(pubkey => ({ pubkey, account: renderAccount(chain, pubkey, (given ?? {}) as CallOptions) })),
  }),
}

/** @throws RpcError */
export function answerRpc(
  chain: SimulatedChain,
  faults: NodeFaults,
  method: string,
  parameters: readonly unknown[],
): unknown {
  const handler = HANDLERS[method]
  if (!handler) throw new RpcError(-32601, `Method not found: ${method}`)
  return handler(chain, faults, parameters)
}
