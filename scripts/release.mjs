// `npm run release`: the steps from a commit to what a tag publishes. Without a flag it says what it can do.
import { parseArgs } from 'node:util'
import { HELP, makeRelease } from './release/make-release.mjs'
import { prepareVersion } from './release/prepare-version.mjs'
import { publishRelease } from './release/publish-release.mjs'

const say = line => console.log(line)

try {
  const { values: flags } = parseArgs({
    options: {
      prepare: { type: 'string' },
      'dry-run': { type: 'boolean' },
      publish: { type: 'boolean' },
      out: { type: 'string' },
      images: { type: 'string', default: 'auto' },
      platforms: { type: 'string', default: 'linux/amd64' },
      registry: { type: 'string', default: 'registry.example.com/payment-tracking' },
      help: { type: 'boolean' },
    },
  })
  if (flags.help || [flags.prepare, flags['dry-run'], flags.publish].filter(Boolean).length !== 1) {
    say(HELP)
    process.exitCode = flags.help ? 0 : 2
  } else if (flags.prepare) prepareVersion(flags.prepare, say)
  else {
    const release = await makeRelease(flags, say)
    if (flags.publish) publishRelease(release, flags, say)
  }
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
