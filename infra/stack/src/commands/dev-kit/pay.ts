import { randomUUID } from 'node:crypto'
import { deriveGateway } from '@payment-tracking/domain'
import { buildChain, buildAddress } from '../../chain/index.js'
import { calledAs } from '../called-as.js'
import { findStack } from '../find-stack.js'
import { openPublisher } from '../open-publisher.js'
import { USDC } from '../usdc.js'
import { keyFileOf, readKeyFile } from './key-file.js'
import { printable } from './printable.js'
import { programIdOf } from './program-id.js'
import { readOptions } from './read-options.js'
import { waitUntilStored } from './wait-until-stored.js'

const MAX_MEMO_BYTES = 64

const USAGE = `usage: ${calledAs('pay', '--tracking-id ID --amount N [options]')}
  Causes one payment on the running stack: a direct transfer with the tracking ID as its memo.
  --tracking-id ID   what the payment is for, at most 64 bytes
  --amount N         in the token's smallest unit: 5000000 is 5 USDC
  --gateway ADDRESS  the gateway that executes the payment (default: the gateway that --key owns)
  --key FILE         default: gateway-key.json in DATA_DIR
  --recipient KEY    who is paid (default: the owner of --key)
  --mint KEY         the token (default: USDC)`

/**
 * `npm run pay`: publishes a payment as the indexer would, and waits until the payment is stored.
 * @returns the exit code
 * @throws Error that names the option when an option is missing or wrong
 */
export async function pay(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const names = ['tracking-id', 'amount', 'gateway', 'key', 'recipient', 'mint'] as const
  const options = readOptions(args, names, USAGE)
  if (!options) return 0
  const { 'tracking-id': trackingId, amount } = options
  if (!trackingId) throw new Error(`--tracking-id is missing\n${USAGE}`)
  if (Buffer.byteLength(trackingId) > MAX_MEMO_BYTES)
    throw new Error(`--tracking-id has more than ${MAX_MEMO_BYTES} bytes`)
  if (!amount || !/^\d{1,20}$/.test(amount))
    throw new Error(`--amount must be a whole number of the token's smallest unit\n${USAGE}`)
  const stack = findStack(env)
  const programId = programIdOf(env)
  const owner = () => readKeyFile(keyFileOf(options.key, env)).publicKey
  const gateway = options.gateway ?? deriveGateway(programId, owner())
  const seed = `pay/${randomUUID()}`
  const message = buildChain({ seed, programId }).payDirectly({
    gateway,
    trackingId,
    amount: BigInt(amount),
    payer: buildAddress(`${seed}/payer`),
    recipient: options.recipient ?? owner(),
    tokenMint: options.mint ?? USDC.mint,
  })
  const publisher = await openPublisher({ ...env, NATS_URL: stack.natsUrl })
  try {
    await publisher.publish(JSON.stringify(message))
  } finally {
    await publisher.close()
  }
  await waitUntilStored(stack.baseUrl, message.signature)
  console.log(`paid ${amount} for ${printable(trackingId)}\ntransaction ${message.signature}`)
  return 0
}
