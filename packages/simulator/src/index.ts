export { emitEvent } from './emit-event.js'
export type { PuppetCall, Step } from './puppet.js'
export {
  SimulatedChain,
  type ChainOptions,
  type ExecuteOptions,
  type PlacedTransaction,
  type SimulatedBlock,
  type SimulatedTransaction,
} from './simulated-chain.js'
export type { NodeFaults, RpcAnswer } from './node-faults.js'
export { openSimulatedNode, type SimulatedNode } from './simulated-node.js'
