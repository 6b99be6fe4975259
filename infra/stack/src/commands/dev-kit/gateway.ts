import { deriveGateway } from '@payment-tracking/domain'
import { readArguments, refuseArguments } from '@payment-tracking/runtime'
import { buildChain } from '../../chain/index.js'
import { calledAs } from '../called-as.js'
import { findStack } from '../find-stack.js'
import { openPublisher } from '../open-publisher.js'
import { createKeyFile, keyFileOf, readKeyFile } from './key-file.js'
import { programIdOf } from './program-id.js'
import { waitUntilStored } from './wait-until-stored.js'

const USAGE = `usage: ${calledAs('gateway', 'new [--name NAME] [--key FILE]')}
       ${calledAs('gateway', 'address [--key FILE]')}
  new          makes a key pair and a gateway that the key pair owns, on the running stack
  address      prints the address of the gateway that the key pair owns
  --name NAME  the gateway's name, at most 32 bytes (default: My Gateway)
  --key FILE   the key pair (default: gateway-key.json in DATA_DIR)`

/**
 * `npm run gateway`: a gateway to try sign-in and webhooks with. The event that creates the gateway is published to the
 * local stream; nothing happens on a chain.
 * @returns the exit code
 * @throws KeyFileError, NoStackError
 */
export async function gateway(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const options = { name: { type: 'string', default: 'My Gateway' }, key: { type: 'string' } } as const
  const { values, positionals } = readArguments({ usage: USAGE, options, positionals: 1 }, args)
  const [action] = positionals
  if (action !== 'new' && action !== 'address') return refuseArguments(USAGE, 'say new or address')
  const file = keyFileOf(values.key, env)
  if (action === 'address') console.log(deriveGateway(programIdOf(env), readKeyFile(file).publicKey))
  else await createGateway(file, values.name, env)
  return 0
}

async function createGateway(file: string, name: string, env: NodeJS.ProcessEnv): Promise<void> {
  const stack = findStack(env)
  const authority = createKeyFile(file)
  const chain = buildChain({ seed: `gateway/${authority.publicKey}`, programId: programIdOf(env) })
  const { address, created } = await chain.openGateway(name, authority)
  const publisher = await openPublisher({ ...env, NATS_URL: stack.natsUrl })
  try {
    await publisher.publish(JSON.stringify(created))
  } finally {
    await publisher.close()
  }
  await waitUntilStored(stack.baseUrl, created.signature)
  console.log(`gateway    ${address}`)
  console.log(`authority  ${authority.publicKey}`)
  console.log(`key file   ${file}`)
}
