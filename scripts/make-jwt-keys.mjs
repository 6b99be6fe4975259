// `node scripts/make-jwt-keys.mjs [checkout]`: prints a line with new keys for an env file, JWT_PRIVATE_KEYS or with
// `checkout` CHECKOUT_TOKEN_KEYS (after `npm ci && npm run build`).
const { buildCheckoutKeys, buildJwtKeys } = await import('../infra/stack/dist/index.js')
console.log(
  process.argv[2] === 'checkout'
    ? `CHECKOUT_TOKEN_KEYS='${buildCheckoutKeys()}'`
    : `JWT_PRIVATE_KEYS='${buildJwtKeys()}'`,
)
