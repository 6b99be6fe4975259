export { buildPuppet, type PuppetCall, type Step } from './puppet.js'
export {
  SimulatedChain,
  type ChainOptions,
  type ExecuteOptions,
  type PlacedTransaction,
  type SimulatedBlock,
  type SimulatedTransaction,
} from './simulated-chain.js'
export { noFaults, type NodeFaults } from './node-faults.js'
export { openSimulatedNode, type SimulatedNode } from './simulated-node.js'
