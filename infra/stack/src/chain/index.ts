// The door of the made-up chain.
export {
  buildChain,
  type Chain,
  type ChainGateway,
  type ChainMessage,
  type ChainPolicy,
  type ChainUserPayment,
  type PolicyTerms,
} from './build-chain.js'
export { buildAddress, buildSignature, ED25519_PREFIX, toFixedBytes, type KeyPair } from './keys.js'
