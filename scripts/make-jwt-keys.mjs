// `node scripts/make-jwt-keys.mjs [checkout]`: prints new keys for JWT_PRIVATE_KEYS, or with `checkout` for
// CHECKOUT_TOKEN_KEYS (after `npm run build`).
const { buildCheckoutKeys, buildJwtKeys } = await import('../infra/stack/dist/index.js')
console.log(process.argv[2] === 'checkout' ? buildCheckoutKeys() : buildJwtKeys())
