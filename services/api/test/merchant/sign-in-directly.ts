// A gateway on the chain, and its token without a wallet.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { deriveGateway, signerSince } from '@payment-tracking/domain'
import { readGatewayState } from '@payment-tracking/store/admin'
import { buildGatewayTokens } from '../../src/gateway-auth/gateway-tokens.js'
import { readSigningKeys } from '../../src/gateway-auth/signing-keys.js'
import { keyOf, type Chain } from '../open-chain.js'

/** @param keys the JWT_PRIVATE_KEYS of the API */
export async function signInDirectly(chain: Chain, keys: string, label: string) {
  const authority = keyOf(`authority ${label}`)
  await chain.say(
    'PaymentGatewayCreated',
    {
      authority,
      fee_recipient: authority,
      gateway_fee_bps: 1,
      name: [...Buffer.alloc(32)],
      url: [...Buffer.alloc(64)],
    },
    1_700_000_000,
  )
  const gateway = deriveGateway(DEFAULT_PROGRAM_ID, authority)
  const since = signerSince((await readGatewayState(chain.store, gateway))!, authority)!
  const tokens = buildGatewayTokens(await readSigningKeys(keys), 'production')
  const token = await tokens.issue({ gateway, signer: authority, since })
  return { gateway, headers: { authorization: `Bearer ${token}` } }
}
