// Who may publish and subscribe to what on NATS. Each process has a user of its own. Only the server's operator may delete, empty or
// change a stream. Only users that publish events can publish a false event.
import { dueAccountsSubjectOf, indexerBucketOf } from '@payment-tracking/contracts'

/** `publisher` is for every publisher but our indexer, and for the commands that publish. */
export const BUS_USERS = ['ingest', 'indexer', 'ops', 'publisher'] as const
export type BusUser = (typeof BUS_USERS)[number]

export interface BusPermissions {
  /** subjects, with the wildcards of NATS */
  publish: readonly string[]
  subscribe: readonly string[]
  /** it may answer what asked it */
  answers: boolean
}

/** The subject on which a user gets answers. By default every user could read the answers to all others. */
export const inboxOf = (user: string): string => `_INBOX_${user.replaceAll(/[^\w-]/g, '_')}`

/**
 * @param names.stream the name of the stream of events; `*` on a server that nobody else uses
 * @param names.prefixes what the subjects of events begin with
 */
export function permissionsOf(
  user: BusUser,
  { stream, prefixes }: { stream: string; prefixes: readonly string[] },
): BusPermissions {
  const api = (...requests: string[]) => requests.map(request => `$JS.API.${request}`)
  const bucket = stream === '*' ? '*' : indexerBucketOf(stream)
  const bucketStream = stream === '*' ? '*' : `KV_${bucket}`
  const events = prefixes.map(prefix => `${prefix}.>`)
  const asks = dueAccountsSubjectOf(stream)
  const reads = api('INFO', `STREAM.INFO.${stream}`)
  const makes = api(`STREAM.CREATE.${stream}`)
  /** A consumer of a name, or one for a while. */
  const consumes = api(
    `STREAM.MSG.GET.${stream}`,
    `CONSUMER.CREATE.${stream}`,
    `CONSUMER.CREATE.${stream}.>`,
    `CONSUMER.DURABLE.CREATE.${stream}.*`,
    `CONSUMER.INFO.${stream}.*`,
    `CONSUMER.MSG.NEXT.${stream}.*`,
    `CONSUMER.DELETE.${stream}.*`,
  )
  const keeps = [
    ...api(`STREAM.INFO.${bucketStream}`, `STREAM.CREATE.${bucketStream}`, `STREAM.MSG.GET.${bucketStream}`),
    `$KV.${bucket}.>`,
  ]
  const publish: Record<BusUser, readonly string[]> = {
    ingest: [...reads, ...makes, ...consumes, `$JS.ACK.${stream}.>`],
    indexer: [...reads, ...makes, ...consumes, ...keeps, ...events, asks],
    ops: [
      ...reads,
      ...api(
        `CONSUMER.INFO.${stream}.*`,
        `CONSUMER.LIST.${stream}`,
        `STREAM.MSG.GET.${stream}`,
        `STREAM.MSG.GET.${bucketStream}`,
      ),
      // Dead letters go the way of all events.
      ...events,
    ],
    publisher: [...reads, ...makes, ...events],
  }
  return {
    publish: [...new Set(publish[user])],
    subscribe: [`${inboxOf(user)}.>`, ...(user === 'ingest' ? [asks] : [])],
    answers: user === 'ingest',
  }
}

const quoted = (subjects: readonly string[], indent: string): string =>
  subjects.map(subject => `${indent}"${subject}"`).join('\n')

/**
 * The users in the language of NATS' own settings.
 * @param passwordOf a text with its quotes, or the name of a variable
 */
export const renderBusUsers = (
  names: Parameters<typeof permissionsOf>[1],
  passwordOf: (user: BusUser) => string,
): string =>
  BUS_USERS.map(user => {
    const { publish, subscribe, answers } = permissionsOf(user, names)
    return `  {
    user: ${user}
    password: ${passwordOf(user)}
    permissions {
      publish { allow: [
${quoted(publish, '        ')}
      ] }
      subscribe { allow: [
${quoted(subscribe, '        ')}
      ] }${answers ? '\n      allow_responses: true' : ''}
    }
  }`
  }).join('\n')
