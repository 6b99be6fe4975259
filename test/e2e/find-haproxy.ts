// HAProxy of this machine, for the configurations that are run for real.
import { spawnSync } from 'node:child_process'
import { installDebianPackage } from '@payment-tracking/testkit'

/** @returns where it is, and why tests are left out where it is not; installs its Debian package when that is possible */
export function findHaproxy(): { haproxy: string; skip: string | false } {
  const find = () =>
    spawnSync('sh', ['-c', 'PATH="$PATH:/usr/sbin" command -v haproxy'], { encoding: 'utf8' }).stdout.trim()
  if (find() === '' && process.getuid?.() === 0)
    try {
      installDebianPackage('haproxy')
    } catch {
      // The test says that it was left out.
    }
  const haproxy = find()
  const skip = haproxy === '' && 'HAPROXY IS NOT INSTALLED AND COULD NOT BE: ITS CONFIGURATION WAS NOT TESTED'
  return { haproxy, skip }
}
