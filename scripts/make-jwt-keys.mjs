// `node scripts/make-jwt-keys.mjs`: prints a line with new keys for an env file (after `npm ci && npm run build`).
const { buildJwtKeys } = await import('../infra/stack/dist/index.js')
console.log(`JWT_PRIVATE_KEYS='${buildJwtKeys()}'`)
