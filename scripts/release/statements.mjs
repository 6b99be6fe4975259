// What a release says of itself: what is in it, what each file must be, and from what it was made.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../command.mjs'

const isForTests = ({ properties }) => properties.some(({ name }) => name === 'cdx:npm:package:development')

/**
 * A bill of materials in CycloneDX, of the packages that run; needs no network. `npm sbom --omit dev` is not used: it leaves
 * out what a service and a test need alike.
 */
export async function writeBill(folder) {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only']
  const bill = JSON.parse(await run('npm', args))
  bill.components = bill.components.filter(component => !isForTests(component))
  const kept = new Set([bill.metadata.component, ...bill.components].map(component => component['bom-ref']))
  bill.dependencies = bill.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter(each => kept.has(each)) }))
  writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`)
  return 'sbom.cdx.json'
}

const sha256 = file => createHash('sha256').update(readFileSync(file)).digest('hex')

/** As `sha256sum --check` reads it. */
export function writeSums(folder, files) {
  const lines = files.map(file => `${sha256(join(folder, file))}  ${file}\n`)
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''))
  return 'SHA256SUMS'
}

/**
 * SLSA's provenance (slsa.dev/spec/v1.0/provenance) of files and images. It is not signed: the release's workflow adds a
 * signature of its own.
 */
export function writeProvenance(folder, files, { version, commit, date, source, images }) {
  const digests = Object.entries(images ?? {}).map(([name, { digest }]) => ({
    name: `image ${name}`,
    digest: { sha256: digest.replace('sha256:', '') },
  }))
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: files.map(name => ({ name, digest: { sha256: sha256(join(folder, name)) } })).concat(digests),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'node scripts/release.mjs',
        externalParameters: { version },
        resolvedDependencies: [{ uri: `git+${source ?? 'local'}`, digest: { gitCommit: commit } }],
      },
      runDetails: {
        builder: { id: process.env.GITHUB_WORKFLOW_REF ?? 'local' },
        metadata: { startedOn: date },
      },
    },
  }
  writeFileSync(join(folder, 'provenance.intoto.json'), `${JSON.stringify(statement, null, 2)}\n`)
  return 'provenance.intoto.json'
}
