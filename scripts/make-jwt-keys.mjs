// `node scripts/make-jwt-keys.mjs`: prints new keys for JWT_PRIVATE_KEYS (after `npm run build`).
const { buildJwtKeys } = await import('../infra/stack/dist/index.js')
console.log(buildJwtKeys())
