import type { Schemas } from '@payment-tracking/client'
import { Link } from 'wouter'
import { More } from '../customers/more.js'
import { useGatewayPages } from '../customers/use-pages.js'
import { pageLength } from '../show/page-length.js'
import { PageHead } from '../show/page-head.js'
import { shownWords } from '../show/pager.js'
import { Empty, Failure, Loading } from '../show/states.js'
import { Table, type Column } from '../show/table.js'
import { Key, Time, Written } from '../show/values.js'

type Change = Schemas['Change']

const PAGE = pageLength(50)

/** Written as a record, so that a new kind of the API does not compile until it stands here. */
const WORDS: Record<Change['kind'], string> = {
  'webhook.created': 'Endpoint created',
  'webhook.changed': 'Endpoint changed',
  'webhook.activated': 'Endpoint activated',
  'webhook.deactivated': 'Endpoint deactivated',
  'webhook.secret_rotated': 'Secret rotated',
  'webhook.deleted': 'Endpoint deleted',
  'api_key.created': 'API key created',
  'api_key.revoked': 'API key revoked',
  'session.ended': 'Session ended',
  'sessions.ended': 'All sessions ended',
  'settings.changed': 'Settings changed',
  'expectation.cancelled': 'Expected payment cancelled',
}

/** Who changed what of the gateway. */
export function ChangesPage() {
  const pages = useGatewayPages(['changes'], ({ api, gateway }, cursor) =>
    api.GET('/v1/gateway/{gateway}/changes', {
      params: { path: { gateway }, query: { limit: PAGE, ...(cursor === null ? {} : { cursor }) } },
    }),
  )
  const changes = pages.data?.pages.flatMap(({ data }) => data)
  return (
    <>
      <PageHead
        title="Activity"
        lead="Who changed endpoints, API keys, settings and expected payments, or ended sessions: the last 1,000 changes, without their values."
      />
      <Failure error={pages.error} retry={() => void pages.refetch()} />
      {!changes && !pages.error && <Loading lines={10} />}
      {changes?.length === 0 && (
        <Empty title="No activity yet">
          Add an <Link href="/endpoints">endpoint</Link>, and it shows here.
        </Empty>
      )}
      {changes && changes.length > 0 && (
        <>
          <Table title="Changes" rows={changes} columns={COLUMNS} keyOf={({ id }) => String(id)} />
          <p role="status" className="quiet">
            {shownWords(0, changes.length, pages.hasNextPage)}
          </p>
          <More title="Older changes" pages={pages} />
        </>
      )}
    </>
  )
}

const COLUMNS: readonly Column<Change>[] = [
  { head: 'time', phone: 'side', cell: ({ at }) => <Time at={at} /> },
  { head: 'change', kind: 'text', phone: 'lead', cell: ({ kind }) => WORDS[kind] },
  { head: 'subject', kind: 'text', cell: change => <Subject change={change} /> },
  { head: 'fields', kind: 'text', cell: ({ fields }) => fields.join(', ') },
  { head: 'by', kind: 'text', cell: change => <Author change={change} /> },
]

function Subject({ change: { kind, subject, name } }: { change: Change }) {
  const text = [name, kind.startsWith('expectation.') ? null : subject].filter(Boolean).join(', ')
  const href = hrefOf(kind, subject)
  return href === null ? (
    <Written value={text} />
  ) : (
    <Link href={href}>
      <Written value={text} />
    </Link>
  )
}

/** What was deleted has no page, and keys have none of their own. */
function hrefOf(kind: Change['kind'], subject: string | null): string | null {
  if (kind === 'webhook.deleted') return null
  if (kind.startsWith('webhook.')) return `/endpoints/${subject}`
  return kind.startsWith('expectation.') ? `/expected/${subject}` : null
}

function Author({ change: { wallet, apiKey } }: { change: Change }) {
  if (wallet === null) return 'the service'
  return apiKey === null ? (
    <Key value={wallet} />
  ) : (
    <>
      API key <Written value={apiKey.name} />
    </>
  )
}
