// The same, with its times judged.
process.env.JUDGE_TIMES = 'yes'
await import('./reading-begins-again.test.js')
