// What a release says of itself: what is in it, what each file must be, and from what it was made.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readRoot, run } from './repository.mjs'

/** The packages that only tests and builds of tests need, by the lock file. */
function isForTests() {
  const { packages } = JSON.parse(readRoot('package-lock.json'))
  const needed = new Set(
    Object.entries(packages)
      .filter(([, { dev }]) => !dev)
      .map(([path, { name, version }]) => `${name ?? path.split('node_modules/').at(-1)}@${version}`),
  )
  return reference => !reference.startsWith('@payment-tracking/') && !needed.has(reference)
}

/**
 * A bill of materials in CycloneDX, of the packages that run; needs no network. `npm sbom --omit dev` is not used: it leaves
 * out what a service and a test need alike.
 */
export function writeBill(folder) {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only']
  const bill = JSON.parse(run('npm', args))
  const isLeftOut = isForTests()
  bill.components = bill.components.filter(component => !isLeftOut(component['bom-ref']))
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
  const subject = [
    ...files.map(file => ({ name: file, digest: { sha256: sha256(join(folder, file)) } })),
    ...Object.entries(images ?? {}).map(([name, { digest }]) => ({
      name: `image ${name}`,
      digest: { sha256: digest.replace('sha256:', '') },
    })),
  ]
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject,
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'npm run release',
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
