import { deriveGateway } from '@payment-tracking/domain'
import { readArguments } from '@payment-tracking/runtime'
import { calledAs } from '../called-as.js'
import { findStack } from '../find-stack.js'
import { keyFileOf, readKeyFile } from './key-file.js'
import { makeSignInLink, openGatewaySession } from './gateway-session.js'
import { programIdOf } from './program-id.js'

const USAGE = `usage: ${calledAs('sign-in', '[--link] [--key FILE] [--gateway ADDRESS]')}
  Signs in as a gateway and prints a token, which is valid for 15 minutes.
  --link             prints a link instead, which signs a browser in to the console, once
  --key FILE         the key of the gateway's authority or signer
                     (default: gateway-key.json in DATA_DIR)
  --gateway ADDRESS  the gateway (default: the gateway that the key owns)`

/**
 * `npm run --silent sign-in`: prints nothing but the token or link, so that a shell can keep it in a variable.
 * @returns the exit code
 * @throws KeyFileError, NoStackError, or an Error with the reason of the service
 */
export async function signIn(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const options = {
    link: { type: 'boolean' },
    key: { type: 'string' },
    gateway: { type: 'string' },
  } as const
  const { values } = readArguments({ usage: USAGE, options }, args)
  const { baseUrl } = findStack(env)
  const key = readKeyFile(keyFileOf(values.key, env))
  const gateway = values.gateway ?? deriveGateway(programIdOf(env), key.publicKey)
  console.log(
    values.link
      ? await makeSignInLink(baseUrl, gateway, key)
      : (await openGatewaySession(baseUrl, gateway, key)).token,
  )
  return 0
}
