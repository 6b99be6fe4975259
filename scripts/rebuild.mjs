// `npm run rebuild`: computes projections anew, of DATABASE_URL or of the running stack.
import { runOnStack } from './run-on-stack.mjs'

const [argument] = process.argv.slice(2)
if (argument === undefined) await runOnStack('packages/store/dist/rebuild-main.js')
else {
  // Whoever asks for help must not begin an hour of work.
  if (argument !== '--help') console.error(`rebuild takes no argument, and got ${argument}`)
  console.log(`usage: npm run rebuild
  Computes all projections anew from the stored events, while the services go on.
  DATABASE_URL names the database (default: that of the running stack).`)
  process.exitCode = argument === '--help' ? 0 : 2
}
