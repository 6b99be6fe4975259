// The tables of docs/security.md, from the API's description, the rights of roles and the permissions of users.
import { BUS_USERS, permissionsOf } from '@payment-tracking/bus'
import { DEFAULT_STREAM, DEFAULT_SUBJECT_PREFIX } from '@payment-tracking/contracts'
import { rightsOf, secretsFor, SERVICES_WITH_ROLES, TABLES_WITH_RIGHTS } from '@payment-tracking/store/core'
import { drawTable, replaceTables } from '../documents/table.js'
import type { Access, Foreign, Operation } from './description.js'

const FOREIGN: Record<Foreign, string> = { 403: '403', 404: '404', own: 'its own' }

/** What nobody, a credential that does not count, a key without the scope, another gateway and the owner get. */
function cellsOf({ access, foreign, success }: Operation): string[] {
  const all = (text: string) => Array<string>(5).fill(text)
  if (access === 'open') return all('open')
  if (access === 'more') return ['open', '401', '403', 'open', 'with its own']
  if (access === 'sign-in') return ['401', '401', 'its own', 'its own', String(success)]
  if (access === 'proof') return ['401', '401', '401', '401', 'a proof of payment']
  return ['401', '401', '403', FOREIGN[foreign], String(success)]
}

const NEEDS: Record<Access, string> = {
  open: '',
  'sign-in': 'any',
  more: '',
  proof: '',
  wallet: 'sign-in only',
  'webhooks:read': '`webhooks:read`',
  'webhooks:write': '`webhooks:write`',
  'merchant:read': '`merchant:read`',
  'merchant:write': '`merchant:write`',
  expectations: '`expectations`',
  'expectations or merchant:read': '`expectations` or `merchant:read`',
}

/** Each scope as code. */
const codeOf = (scopes: string): string =>
  scopes.replaceAll(/[\w:]+(?:\b|$)/g, word => (word === 'or' ? word : `\`${word}\``))

function tableOf(operations: readonly Operation[]): string {
  const rows = operations
    .filter(({ access }) => access !== 'open')
    .map(operation => [
      `\`${operation.method} ${operation.path}\``,
      operation.access === 'more' ? codeOf(operation.scopes) : NEEDS[operation.access],
      ...cellsOf(operation),
    ])
  const open = operations.filter(({ access }) => access === 'open')
  const head = ['route', 'scope of a key', 'nobody', 'void', 'no scope', 'another gateway', 'the owner']
  const list = open.map(({ method, path }) => [method, `\`${path}\``])
  return [
    drawTable([head, ...rows]),
    'These are open to everybody. A credential that comes along changes nothing:',
    drawTable([['method', 'route'], ...list]),
  ].join('\n\n')
}

/** What each service's role may do with each table. */
function rolesTable(): string {
  const rows = TABLES_WITH_RIGHTS.map(table => [
    `\`${table}\``,
    ...SERVICES_WITH_ROLES.map(service => {
      const rights = rightsOf(service, table)
      return rights === '' ? '' : `${rights}${secretsFor(service, table).length > 0 ? ' *' : ''}`
    }),
  ])
  return drawTable([['table', ...SERVICES_WITH_ROLES], ...rows])
}

/** What each user of NATS may say and hear. */
function usersTable(): string {
  const names = { stream: DEFAULT_STREAM, prefixes: [DEFAULT_SUBJECT_PREFIX] }
  const code = (subjects: readonly string[]) => subjects.map(subject => `\`${subject}\``).join(', ')
  const rows = BUS_USERS.map(user => {
    const { publish, subscribe, answers } = permissionsOf(user, names)
    return [
      `\`${user}\``,
      code(publish),
      `${code(subscribe)}${answers ? ', and answers what is asked there' : ''}`,
    ]
  })
  return drawTable([['user', 'publishes', 'subscribes'], ...rows])
}

/** @returns the document with these tables */
export function withTables(text: string, operations: readonly Operation[]): string {
  return replaceTables(text, [tableOf(operations), rolesTable(), usersTable()])
}
