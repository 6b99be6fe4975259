// `node scripts/make-jwt-keys.mjs [checkout]`: prints a line with new keys for an env file, JWT_PRIVATE_KEYS or with
// `checkout` CHECKOUT_TOKEN_KEYS (after `npm ci && npm run build`).
const { tools } = await import('../infra/stack/dist/commands.js')
console.log(
  process.argv[2] === 'checkout'
    ? `CHECKOUT_TOKEN_KEYS='${tools.buildCheckoutKeys()}'`
    : `JWT_PRIVATE_KEYS='${tools.buildJwtKeys()}'`,
)
