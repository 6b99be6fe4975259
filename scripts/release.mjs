// `node scripts/release.mjs`: the steps from a commit to what a tag publishes.
import { runCommand } from './command.mjs'
import { makeRelease } from './release/make-release.mjs'
import { publishRelease } from './release/publish-release.mjs'
import { prepareVersion } from './release/version.mjs'

const USAGE = `usage: node scripts/release.mjs --prepare 1.2.3
  Raises the version everywhere, closes the changelog's section.
usage: node scripts/release.mjs --dry-run
  Makes what a tag publishes, in dist/release; publishes nothing.
usage: node scripts/release.mjs --publish
  The same, and publishes it; the workflow runs this for a tag.

  --out FOLDER        instead of dist/release; what is in it goes
  --images yes|no     images need buildah; without the flag they are made where it is there
  --platforms LIST    of the images: linux/amd64 (default), or linux/amd64,linux/arm64 where an
                      emulator runs what the machine does not (qemu-user-static)
  --registry NAME     where the images will be, for the manifests:
                      registry.example.com/payment-tracking`

const options = {
  prepare: { type: 'string' },
  'dry-run': { type: 'boolean' },
  publish: { type: 'boolean' },
  out: { type: 'string' },
  images: { type: 'string', default: 'auto' },
  platforms: { type: 'string', default: 'linux/amd64' },
  registry: { type: 'string', default: 'registry.example.com/payment-tracking' },
}
await runCommand({ usage: USAGE, options }, async flags => {
  if ([flags.prepare, flags['dry-run'], flags.publish].filter(Boolean).length !== 1) {
    console.error(USAGE)
    return 2
  }
  if (flags.prepare) return prepareVersion(flags.prepare)
  const release = await makeRelease(flags)
  if (flags.publish) await publishRelease(release, flags.registry)
})
