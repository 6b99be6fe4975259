// A chain on one machine: litesvm runs the transactions, and this class keeps blocks and finality. All nodes of a test
// share one chain; each node has its own faults (see node-faults.ts).
import { createHash } from 'node:crypto'
import {
  address,
  compileTransactionMessage,
  createTransactionMessage,
  getCompiledTransactionMessageEncoder,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  appendTransactionMessageInstructions,
  pipe,
  lamports,
  type Address,
} from '@solana/kit'
import bs58 from 'bs58'
import { FailedTransactionMetadata, LiteSVM } from 'litesvm'
import { TokenAccounts } from './token-accounts.js'
import { buildPuppet, calleesOf, writeCall, type PuppetCall } from './puppet.js'

/** A transaction as a node would know it. */
export interface SimulatedTransaction {
  signature: string
  err: unknown
  logMessages: string[]
  /** static keys, then those loaded from tables */
  accountKeys: string[]
  instructions: { programIdIndex: number; data: string }[]
  inner: { index: number; instructions: { programIdIndex: number; data: string; stackHeight: number }[] }[]
  version: 'legacy' | 0 | 1
  /** keys at the end of `accountKeys` that came from an address table */
  loadedKeys: number
}

export interface SimulatedBlock {
  slot: number
  parentSlot: number
  /** Unix seconds */
  blockTime: number
  transactions: SimulatedTransaction[]
}

/** A transaction with its position on the chain. */
export interface BlockTransaction {
  slot: number
  /** its index in the block */
  at: number
  transaction: SimulatedTransaction
  blockTime: number
}

export interface ChainOptions {
  /** programs that obey their data; the first stands for the payment program */
  programs: readonly string[]
  firstSlot?: number
  /** Unix seconds of the first slot */
  firstBlockTime?: number
  /** how many slots on top of a block make the block confirmed, and final */
  confirmationSlots?: number
  finalitySlots?: number
}

export interface ExecuteOptions {
  version?: SimulatedTransaction['version']
  /** accounts that the transaction names without using them */
  mentions?: readonly string[]
}

const SLOT_SECONDS = 0.4

export class SimulatedChain {
  readonly #vm = new LiteSVM().withSigverify(false).withBlockhashCheck(false).withTransactionHistory(0n)
  readonly #payer = address(bs58.encode(createHash('sha256').update('payer').digest()))
  readonly blocks = new Map<number, SimulatedBlock>()
  readonly accounts = new Map<string, Uint8Array>()
  readonly tokens = new TokenAccounts()
  /** called for every transaction once it is confirmed, and once it is final */
  readonly listeners = new Set<
    (level: 'confirmed' | 'finalized', slot: number, tx: SimulatedTransaction) => void
  >()
  readonly genesisHash = bs58.encode(createHash('sha256').update('genesis').digest())
  readonly #options: Required<Omit<ChainOptions, 'programs'>>
  readonly #slotOf = new Map<string, number>()
  tip: number
  #serial = 0

  constructor({ programs, ...options }: ChainOptions) {
    this.#options = {
      firstSlot: 390_000_000,
      firstBlockTime: 1_780_000_000,
      confirmationSlots: 1,
      finalitySlots: 31,
      ...options,
    }
    // Transactions are added to the tip, so the tip must never be confirmed or final.
    if (Math.min(this.#options.confirmationSlots, this.#options.finalitySlots) < 1)
      throw new RangeError('a block needs at least one block on top of it to be confirmed or final')
    this.tip = this.#options.firstSlot
    this.blocks.set(this.tip, this.#emptyBlock(this.tip, this.tip - 1))
    const executable = buildPuppet()
    for (const program of programs) this.#vm.addProgram(address(program), executable)
    this.#vm.airdrop(this.#payer, lamports(10_000_000_000_000n))
  }

  get firstSlot(): number {
    return this.#options.firstSlot
  }

  get confirmed(): number {
    return Math.max(this.firstSlot - 1, this.tip - this.#options.confirmationSlots)
  }

  get finalized(): number {
    return Math.max(this.firstSlot - 1, this.tip - this.#options.finalitySlots)
  }

  #emptyBlock(slot: number, parentSlot: number): SimulatedBlock {
    const { firstSlot, firstBlockTime } = this.#options
    const blockTime = Math.floor(firstBlockTime + (slot - firstSlot) * SLOT_SECONDS)
    return { slot, parentSlot, blockTime, transactions: [] }
  }

  /** Runs a transaction in the block of the tip. */
  execute(calls: readonly PuppetCall[], options: ExecuteOptions = {}): SimulatedTransaction {
    const transaction = this.run(calls, options)
    this.add(transaction)
    return transaction
  }

  /** Puts a transaction into the block of the tip. */
  add(transaction: SimulatedTransaction): void {
    this.blocks.get(this.tip)!.transactions.push(transaction)
    this.#slotOf.set(transaction.signature, this.tip)
  }

  /** Begins new blocks, so that older blocks become confirmed or final. */
  advance(slots = 1): void {
    for (let step = 0; step < slots; step++) {
      const [confirmed, finalized] = [this.confirmed, this.finalized]
      this.blocks.set(this.tip + 1, this.#emptyBlock(this.tip + 1, this.tip))
      this.tip += 1
      for (let slot = confirmed + 1; slot <= this.confirmed; slot++) this.#notify('confirmed', slot)
      for (let slot = finalized + 1; slot <= this.finalized; slot++) this.#notify('finalized', slot)
    }
  }

  /** Begins blocks until everything so far is final. */
  finalize(): void {
    this.advance(this.#options.finalitySlots + 1)
  }

  #notify(level: 'confirmed' | 'finalized', slot: number): void {
    for (const transaction of this.blocks.get(slot)?.transactions ?? []) {
      for (const listener of this.listeners) listener(level, slot, transaction)
    }
  }

  /** Drops the block of a slot, confirmed or not, as if its fork lost. @returns the block's transactions */
  dropBlock(slot: number): SimulatedTransaction[] {
    if (slot <= this.finalized) throw new RangeError(`slot ${slot} is final`)
    const dropped = this.blocks.get(slot)
    if (!dropped) throw new RangeError(`there is no block ${slot}`)
    this.blocks.delete(slot)
    for (const { signature } of dropped.transactions) this.#slotOf.delete(signature)
    for (const block of this.blocks.values())
      if (block.parentSlot === slot) block.parentSlot = dropped.parentSlot
    if (slot === this.tip) this.blocks.set(slot, this.#emptyBlock(slot, dropped.parentSlot))
    return dropped.transactions
  }

  #runKeys(calls: readonly PuppetCall[], mentions: readonly string[]): Address[] {
    return [...new Set([...calls.flatMap(calleesOf), ...mentions])].map(key => address(key))
  }

  /** Runs a transaction without putting it into a block. */
  run(
    calls: readonly PuppetCall[],
    { version = 'legacy', mentions = [] }: ExecuteOptions = {},
  ): SimulatedTransaction {
    const instructions = calls.map(call => ({
      programAddress: address(call.program),
      accounts: this.#runKeys([call], mentions).map(key => ({ address: key, role: 0 as const })),
      data: new Uint8Array(writeCall(call)),
    }))
    const blockhash = this.#vm.latestBlockhash()
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      each => setTransactionMessageFeePayer(this.#payer, each),
      each =>
        setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight: 2n ** 60n }, each),
      each => appendTransactionMessageInstructions(instructions, each),
    )
    const compiled = compileTransactionMessage(message)
    const seed = createHash('sha512')
      .update(`${this.firstSlot}/${(this.#serial += 1)}/${Math.random()}`)
      .digest()
    const result = this.#vm.sendTransaction({
      messageBytes: getCompiledTransactionMessageEncoder().encode(compiled),
      signatures: { [this.#payer]: new Uint8Array(seed) },
    } as never)
    const failed = result instanceof FailedTransactionMetadata
    const meta = failed ? result.meta() : result
    const transaction: SimulatedTransaction = {
      signature: bs58.encode(seed),
      err: failed ? { InstructionError: [0, 'Custom'] } : null,
      logMessages: meta.logs(),
      accountKeys: [...(compiled.staticAccounts as readonly string[])],
      instructions: compiled.instructions.map(({ programAddressIndex, data }) => ({
        programIdIndex: programAddressIndex,
        data: bs58.encode((data ?? new Uint8Array()) as Uint8Array),
      })),
      inner: meta.innerInstructions().map((list, index) => ({
        index,
        instructions: list.map(each => ({
          programIdIndex: each.instruction().programIdIndex(),
          data: bs58.encode(each.instruction().data()),
          stackHeight: each.stackHeight(),
        })),
      })),
      version,
      loadedKeys: 0,
    }
    return version === 'legacy' ? transaction : withLoadedKeys(transaction)
  }

  /** At most `limit` transactions of blocks up to `level` that name this account, newest first. */
  transactionsOf(
    account: string,
    level: number,
    limit: number,
    below?: BlockTransaction,
  ): BlockTransaction[] {
    const found: BlockTransaction[] = []
    for (let slot = Math.min(level, below?.slot ?? level); slot >= this.firstSlot; slot--) {
      const block = this.blocks.get(slot)
      if (!block) continue
      const end = slot === below?.slot ? below.at : block.transactions.length
      for (let at = end - 1; at >= 0; at--) {
        const transaction = block.transactions[at]!
        if (!transaction.accountKeys.includes(account)) continue
        found.push({ slot, at, transaction, blockTime: block.blockTime })
        if (found.length === limit) return found
      }
    }
    return found
  }

  find(signature: string, level: number): BlockTransaction | undefined {
    const slot = this.#slotOf.get(signature)
    if (slot === undefined || slot > level) return undefined
    const block = this.blocks.get(slot)!
    const at = block.transactions.findIndex(transaction => transaction.signature === signature)
    return { slot, at, transaction: block.transactions[at]!, blockTime: block.blockTime }
  }
}

/** The same transaction, with the keys of inner calls loaded from a table. */
function withLoadedKeys(transaction: SimulatedTransaction): SimulatedTransaction {
  const isStatic = new Set([0, ...transaction.instructions.map(({ programIdIndex }) => programIdIndex)])
  const order = transaction.accountKeys.map((_, at) => at)
  const moved = [...order.filter(at => isStatic.has(at)), ...order.filter(at => !isStatic.has(at))]
  const newIndex = (at: number) => moved.indexOf(at)
  return {
    ...transaction,
    accountKeys: moved.map(at => transaction.accountKeys[at]!),
    instructions: transaction.instructions.map(each => ({
      ...each,
      programIdIndex: newIndex(each.programIdIndex),
    })),
    inner: transaction.inner.map(({ index, instructions }) => ({
      index,
      instructions: instructions.map(each => ({ ...each, programIdIndex: newIndex(each.programIdIndex) })),
    })),
    loadedKeys: order.length - isStatic.size,
  }
}
