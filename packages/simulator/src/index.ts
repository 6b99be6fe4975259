export { emitEvent } from './emit-event.js'
export type { PuppetCall, Step } from './puppet.js'
export {
  SimulatedChain,
  type ChainOptions,
  type ExecuteOptions,
  type BlockTransaction,
  type SimulatedBlock,
  type SimulatedTransaction,
} from './simulated-chain.js'
export type { NodeFaults, RpcAnswer } from './node-faults.js'
export {
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type SimulatedTokenAccount,
  type TokenAccounts,
} from './token-accounts.js'
export { openSimulatedNode, type SimulatedNode } from './simulated-node.js'
