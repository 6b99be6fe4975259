// Whether this machine runs programs of a platform. Buildah does not look: it fails in the middle of a build, in words that
// name no cause.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** ELF's number of each architecture, and the instructions of a program that ends with code 42. */
const ARCHITECTURES = {
  amd64: { machine: '3e00', program: 'bf2a000000b83c0000000f05' },
  arm64: { machine: 'b700', program: '400580d2a80b80d2010000d4' },
}

/** The smallest program that Linux starts: a header of 64 bytes, one segment at 0x400000, 12 bytes of code. */
const elfOf = ({ machine, program }) =>
  Buffer.from(
    [
      `7f454c46020101000000000000000000 0200 ${machine} 01000000`,
      '7800400000000000 4000000000000000 0000000000000000 00000000 4000 3800 0100 0000 0000 0000',
      '01000000 05000000 0000000000000000 0000400000000000 0000400000000000',
      '8400000000000000 8400000000000000 0000010000000000',
      program,
    ]
      .join('')
      .replaceAll(' ', ''),
    'hex',
  )

/** Whether a program of `amd64` or `arm64` runs, by itself or by an emulator that the kernel knows (binfmt_misc). */
export function runsHere(architecture) {
  const folder = mkdtempSync(join(tmpdir(), 'payment-tracking-platform-'))
  try {
    const file = join(folder, 'program')
    writeFileSync(file, elfOf(ARCHITECTURES[architecture]), { mode: 0o755 })
    return spawnSync(file).status === 42
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** @throws Error that names the first platform that cannot be built here, why, and what helps */
export function checkPlatforms(platforms, runs = runsHere) {
  for (const platform of platforms.split(',')) {
    const architecture = platform.replace('linux/', '')
    if (!Object.hasOwn(ARCHITECTURES, architecture))
      throw new Error(`--platforms takes linux/amd64 and linux/arm64, not ${platform}`)
    if (!runs(architecture))
      throw new Error(
        `${platform} cannot be built: this machine runs no ${architecture} programs; apt-get install qemu-user-static, or leave ${platform} out of --platforms`,
      )
  }
}
