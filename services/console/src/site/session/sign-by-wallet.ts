import type { Wallet } from '@wallet-standard/base'
import { apiOf, ask } from '../api/request.js'
import type { Session } from './session.js'
import { connectWallet } from './use-wallets.js'

/**
 * Lets the wallet sign the sentence of the service.
 * @throws RequestError when the service refuses; whatever the wallet throws when its owner refuses
 */
export async function signByWallet(gateway: string, wallet: Wallet): Promise<Session> {
  const path = { gateway }
  const account = await connectWallet(wallet)
  const { nonce } = await ask(
    apiOf().POST('/v1/gateway/{gateway}/auth/challenge', {
      params: { path },
      body: { signer: account.signer },
    }),
  )
  // What a wallet signs must name this site: else another site could use the signature.
  if (
    !nonce.startsWith(`${location.host} wants you to sign in `) ||
    !nonce.includes(`\nURI: ${location.origin}\n`)
  )
    throw new Error(`The service wants a sign-in at another site than ${location.host}. Nothing was signed.`)
  const signature = await account.sign(nonce)
  return ask(apiOf().POST('/v1/session', { body: { gateway, signer: account.signer, signature, nonce } }))
}
