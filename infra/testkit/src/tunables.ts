import { SERVICES } from '@payment-tracking/stack'

/**
 * Splits what a test gives a service into settings and arguments. Beside settings, a test names numbers of a service that
 * are no settings as `<service>.<name>`, for example `realtime.leaseMs`; those of other services are left out.
 * @throws Error for a name that begins with no service
 */
export function splitTunables(
  service: string,
  given: Readonly<Record<string, string | undefined>>,
): { env: Record<string, string | undefined>; args: string[] } {
  const env: Record<string, string | undefined> = {}
  const args: string[] = []
  for (const [name, value] of Object.entries(given)) {
    const [owner = '', tunable] = name.split('.')
    if (tunable === undefined) env[name] = value
    else if (!(SERVICES as readonly string[]).includes(owner)) throw new Error(`${name}: no service ${owner}`)
    else if (owner === service) args.push('--tune', `${tunable}=${value}`)
  }
  return { env, args }
}
