// The same, with its times judged.
process.env.JUDGE_TIMES = 'yes'
await import('./edge.long.test.js')
