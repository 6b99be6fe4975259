export const secondsSince = startedAt => `${((Date.now() - startedAt) / 1_000).toFixed(1)} s`
