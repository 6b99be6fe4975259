// `node scripts/migrate.mjs`: migrates DATABASE_URL from a checkout (after `npm run build`).
await import('../packages/store/dist/migrate-main.js')
