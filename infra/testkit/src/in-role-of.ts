import { isBusUser, urlOfBusUser } from '@payment-tracking/stack'
import { SERVICES_WITH_ROLES, urlOfRole, type ServiceWithRole } from '@payment-tracking/store/core'

/** The owner of everything on private servers. */
const OWNER = 'app'
const DATABASES = ['DATABASE_URL', 'DATABASE_REPLICA_URLS']

const isInRole = (service: string): service is ServiceWithRole =>
  (SERVICES_WITH_ROLES as readonly string[]).includes(service)

/** Servers that tests start by themselves have no password, and no roles. */
function isPrivate(url: string): boolean {
  const { username, password } = new URL(url)
  return username === OWNER && password !== ''
}

/** The settings of a service, with the addresses of Postgres for its role and that of NATS for its user. */
export function inRoleOf(
  service: string,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  const changed = { ...env }
  const change = (setting: string, urlOf: (url: string) => string) => {
    changed[setting] &&= changed[setting]
      .split(',')
      .map(url => (isPrivate(url) ? urlOf(url) : url))
      .join()
  }
  if (isInRole(service)) for (const setting of DATABASES) change(setting, url => urlOfRole(url, service))
  if (isBusUser(service)) change('NATS_URL', url => urlOfBusUser(url, service))
  return changed
}
