// The same, with its times judged.
process.env.JUDGE_TIMES = 'yes'
await import('./takeover.long.test.js')
