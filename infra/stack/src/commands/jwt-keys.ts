import { readArguments, refuseArguments } from '@payment-tracking/runtime'
import { buildCheckoutKeys, buildJwtKeys } from '../launcher/index.js'

const USAGE = `usage: npm run --silent operate -- jwt-keys [checkout]
  Prints a line for an env file with new keys: JWT_PRIVATE_KEYS, which sign gateway tokens, or with
  "checkout" CHECKOUT_TOKEN_KEYS, which sign proofs of payment.`

/** @returns the exit code */
export function jwtKeys(args: readonly string[]): number {
  const [kind] = readArguments({ usage: USAGE, options: {}, positionals: 1 }, args).positionals
  if (kind === undefined) console.log(`JWT_PRIVATE_KEYS='${buildJwtKeys()}'`)
  else if (kind === 'checkout') console.log(`CHECKOUT_TOKEN_KEYS='${buildCheckoutKeys()}'`)
  else refuseArguments(USAGE, `there are no keys of the kind "${kind}"`)
  return 0
}
