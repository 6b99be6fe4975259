import { buildCheckoutKeys, buildJwtKeys } from '../launcher/index.js'

const USAGE = `usage: npm run --silent jwt-keys [-- checkout]
  Prints a line for an env file with new keys: JWT_PRIVATE_KEYS, which sign gateway tokens, or with
  "checkout" CHECKOUT_TOKEN_KEYS, which sign proofs of payment.`

/** @returns the exit code */
export function jwtKeys(args: readonly string[]): number {
  const [kind, ...others] = args
  if (kind === '--help') console.log(USAGE)
  else if ((kind !== undefined && kind !== 'checkout') || others.length > 0) {
    console.error(USAGE)
    return 2
  } else if (kind === undefined) console.log(`JWT_PRIVATE_KEYS='${buildJwtKeys()}'`)
  else console.log(`CHECKOUT_TOKEN_KEYS='${buildCheckoutKeys()}'`)
  return 0
}
