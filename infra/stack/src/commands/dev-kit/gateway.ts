import { deriveGateway } from '@payment-tracking/domain'
import { readArguments, refuseArguments } from '@payment-tracking/runtime'
import type { ApiKeyScope } from '@payment-tracking/store/admin'
import { buildChain } from '../../chain/index.js'
import { calledAs } from '../called-as.js'
import { findStack } from '../find-stack.js'
import { openPublisher } from '../open-publisher.js'
import { openGatewaySession } from './gateway-session.js'
import { createKeyFile, keyFileOf, readKeyFile } from './key-file.js'
import { programIdOf } from './program-id.js'
import { waitUntilStored } from './wait-until-stored.js'

const USAGE = `usage: ${calledAs('gateway', 'new [--name NAME] [--key FILE]')}
       ${calledAs('gateway', 'address [--key FILE]')}
       ${calledAs('gateway', 'api-key [--name NAME] [--scopes LIST] [--key FILE]')}
  new          makes a key pair and a gateway that the key pair owns, on the running stack
  address      prints the address of the gateway that the key pair owns
  api-key      makes an API key of that gateway, and prints it: nothing shows it again
  --name NAME  the name of the gateway, at most 32 bytes (default: My Gateway), or of the API key
  --scopes LIST  what the API key may do, comma separated (default: all)
  --key FILE   the key pair (default: gateway-key.json in DATA_DIR)`

/** A type alone is imported: the packed dev kit holds no store. */
const ALL_SCOPES: readonly ApiKeyScope[] = [
  'webhooks:read',
  'webhooks:write',
  'merchant:read',
  'expectations',
]

/**
 * `npm run gateway`: a gateway to try sign-in and webhooks with. The event that creates the gateway is published to the
 * local stream; nothing happens on a chain.
 * @returns the exit code
 * @throws KeyFileError, NoStackError
 */
export async function gateway(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const options = { name: { type: 'string' }, scopes: { type: 'string' }, key: { type: 'string' } } as const
  const { values, positionals } = readArguments({ usage: USAGE, options, positionals: 1 }, args)
  const [action] = positionals
  const file = keyFileOf(values.key, env)
  if (action === 'new') await createGateway(file, values.name ?? 'My Gateway', env)
  else if (action === 'address') console.log(deriveGateway(programIdOf(env), readKeyFile(file).publicKey))
  else if (action === 'api-key') console.log(await makeApiKey(file, values, env))
  else return refuseArguments(USAGE, 'say new, address or api-key')
  return 0
}

/** @returns the key itself */
async function makeApiKey(
  file: string,
  { name = 'npm run gateway', scopes }: { name?: string; scopes?: string },
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const authority = readKeyFile(file)
  const gateway = deriveGateway(programIdOf(env), authority.publicKey)
  const session = await openGatewaySession(findStack(env).baseUrl, gateway, authority)
  const asked = scopes?.split(',').map(scope => scope.trim()) ?? ALL_SCOPES
  const { key } = await session.ask<{ key: string }>('POST', '/v1/api-keys', { name, scopes: asked })
  return key
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
