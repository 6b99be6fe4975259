// The same, with its times judged.
process.env.JUDGE_TIMES = 'yes'
await import('./guides.long.test.js')
