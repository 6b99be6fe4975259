// `npm run reingest -- --since TIME|SEQUENCE`: reads the stream again, with the servers of the environment or of the
// running stack.
import { runOnStack } from './run-on-stack.mjs'

await runOnStack('services/ingest/dist/reingest.js')
