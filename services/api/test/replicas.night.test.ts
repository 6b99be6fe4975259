// The same, with its times judged.
process.env.JUDGE_TIMES = 'yes'
await import('./replicas.long.test.js')
