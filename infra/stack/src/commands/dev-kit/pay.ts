import { randomUUID } from 'node:crypto'
import { visibleText } from '@payment-tracking/contracts'
import { deriveGateway, isPublicKey } from '@payment-tracking/domain'
import { readArguments, refuseArguments } from '@payment-tracking/runtime'
import { buildChain, buildAddress } from '../../chain/index.js'
import { calledAs } from '../called-as.js'
import { findStack } from '../find-stack.js'
import { openPublisher } from '../open-publisher.js'
import { findMint, listSymbols, USDC } from '../tokens.js'
import { keyFileOf, readKeyFile } from './key-file.js'
import { programIdOf } from './program-id.js'
import { waitUntilStored } from './wait-until-stored.js'

const MAX_MEMO_BYTES = 64

const USAGE = `usage: ${calledAs('pay', '--tracking-id ID --amount N [options]')}
  Causes one payment on the running stack: a direct transfer with the tracking ID as its memo.
  --tracking-id ID   what the payment is for, at most 64 bytes
  --amount N         in the token's smallest unit: 5000000 is 5 USDC
  --gateway ADDRESS  the gateway that executes the payment (default: the gateway that --key owns)
  --key FILE         default: gateway-key.json in DATA_DIR
  --recipient KEY    who is paid (default: the owner of --key)
  --mint KEY         the token: its mint, or its symbol in TOKENS (default: USDC)`

const OPTIONS = {
  'tracking-id': { type: 'string' },
  amount: { type: 'string' },
  gateway: { type: 'string' },
  key: { type: 'string' },
  recipient: { type: 'string' },
  mint: { type: 'string' },
} as const

/**
 * `npm run pay`: publishes a payment as the indexer would, and waits until the payment is stored.
 * @returns the exit code
 * @throws KeyFileError, NoStackError
 */
export async function pay(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { values } = readArguments({ usage: USAGE, options: OPTIONS }, args)
  const { 'tracking-id': trackingId, amount } = values
  if (!trackingId) return refuseArguments(USAGE, '--tracking-id is missing')
  if (Buffer.byteLength(trackingId) > MAX_MEMO_BYTES)
    return refuseArguments(USAGE, `--tracking-id has more than ${MAX_MEMO_BYTES} bytes`)
  if (!amount || !/^\d{1,20}$/.test(amount))
    return refuseArguments(USAGE, "--amount must be a whole number of the token's smallest unit")
  for (const name of ['gateway', 'recipient'] as const)
    if (values[name] !== undefined && !isPublicKey(values[name]))
      return refuseArguments(USAGE, `--${name} must be a public key: 32 bytes in base58`)
  const tokenMint = findMint(values.mint ?? USDC.mint, env)
  if (tokenMint === undefined)
    return refuseArguments(USAGE, `--mint must be the public key of a mint, or one of ${listSymbols(env)}`)
  const stack = findStack(env)
  const programId = programIdOf(env)
  const owner = () => readKeyFile(keyFileOf(values.key, env)).publicKey
  const gateway = values.gateway ?? deriveGateway(programId, owner())
  const seed = `pay/${randomUUID()}`
  const message = buildChain({ seed, programId }).payDirectly({
    gateway,
    trackingId,
    amount: BigInt(amount),
    payer: buildAddress(`${seed}/payer`),
    recipient: values.recipient ?? owner(),
    tokenMint,
  })
  const publisher = await openPublisher({ ...env, NATS_URL: stack.natsUrl })
  try {
    await publisher.publish(JSON.stringify(message))
  } finally {
    await publisher.close()
  }
  await waitUntilStored(stack.baseUrl, message.signature)
  console.log(`paid ${amount} for ${visibleText(trackingId)}\ntransaction ${message.signature}`)
  return 0
}
