// `npm run bench`: which of the three programs of this folder runs.
const args = process.argv.slice(2)
if (args.includes('--gate')) await import('./gate/main.js')
else if (args.some(arg => /^--against(=|$)/.test(arg))) await import('./against.js')
else await import('./run.js')
