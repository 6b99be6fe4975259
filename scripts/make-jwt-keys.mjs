// `node scripts/make-jwt-keys.mjs [checkout]`: prints a line with new keys for an env file, JWT_PRIVATE_KEYS or with
// `checkout` CHECKOUT_TOKEN_KEYS (after `npm ci && npm run build`).
const [kind, ...others] = process.argv.slice(2)
if ((kind !== undefined && kind !== 'checkout') || others.length > 0) {
  console.error('usage: node scripts/make-jwt-keys.mjs [checkout]')
  process.exit(1)
}
const { tools } = await import('../infra/stack/dist/commands.js')
console.log(
  kind === 'checkout'
    ? `CHECKOUT_TOKEN_KEYS='${tools.buildCheckoutKeys()}'`
    : `JWT_PRIVATE_KEYS='${tools.buildJwtKeys()}'`,
)
