// `npm run rebuild`: computes projections anew, of DATABASE_URL or of the running stack.
import { runOnStack } from './run-on-stack.mjs'

await runOnStack('packages/store/dist/rebuild-main.js')
