import type { Schemas } from '@payment-tracking/client'
import { ask } from '../api/request.js'
import { PageHead } from '../show/page-head.js'
import { Failure, Loaded } from '../show/states.js'
import { Table, type Column } from '../show/table.js'
import { Badge, Key, Time, Written } from '../show/values.js'
import { useSession } from './session.js'
import { useGatewayOrder, useGatewayQuery } from './use-gateway.js'

type SessionRecord = Schemas['GatewaySession']

/** Written as a record, so that a new way of the API does not compile until it stands here. */
const WAYS: Record<SessionRecord['how'], string> = {
  wallet: 'wallet',
  token: 'token',
  api_key: 'API key',
  link: 'sign-in link',
}

/** Who is signed in as the gateway. One session can be ended, or all. */
export function SettingsPage() {
  const { signOut } = useSession()
  const query = useGatewayQuery(['sessions'], ({ api }) => ask(api.GET('/v1/sessions', {})))
  const end = useGatewayOrder(async ({ api }, { id, current }: SessionRecord) => {
    await ask(api.DELETE('/v1/sessions/{id}', { params: { path: { id: Number(id) } } }))
    if (current) await signOut()
  })
  const endAll = useGatewayOrder(async ({ api }) => {
    await ask(api.DELETE('/v1/sessions', {}))
    await signOut()
  })
  const columns: readonly Column<SessionRecord>[] = [
    ...COLUMNS,
    {
      head: 'end',
      phone: 'side',
      cell: session => (
        <button
          type="button"
          className="outline"
          aria-label={`End session ${String(session.id)}`}
          onClick={() => end.mutate(session)}
        >
          End
        </button>
      ),
    },
  ]
  return (
    <>
      <PageHead
        title="Settings"
        lead="Who is signed in as your gateway. A session ends 48 hours after its last use, 14 days after it began, or at once here."
      />
      <Loaded query={query}>
        {sessions => (
          <Table title="Sessions" rows={sessions} keyOf={({ id }) => String(id)} columns={columns} />
        )}
      </Loaded>
      <Failure error={end.error ?? endAll.error} />
      {query.data && (
        <section className="panel" aria-labelledby="all">
          <h2 id="all">End all sessions</h2>
          <p>
            Every browser is signed out, this one too, and open sign-in links are void. API keys stay valid.
          </p>
          <button type="button" aria-busy={endAll.isPending} onClick={() => endAll.mutate()}>
            End all sessions
          </button>
        </section>
      )}
    </>
  )
}

const COLUMNS: readonly Column<SessionRecord>[] = [
  { head: 'signed in by', kind: 'text', phone: 'lead', cell: session => <Way session={session} /> },
  { head: 'wallet', cell: ({ signer }) => <Key value={signer} /> },
  { head: 'began', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    head: 'last used',
    cell: ({ lastUsedAt }) =>
      lastUsedAt === null ? <span className="quiet">not opened yet</span> : <Time at={lastUsedAt} />,
  },
  { head: 'ends', tablet: 'away', cell: ({ endsAt }) => <Time at={endsAt} /> },
]

const Way = ({ session: { how, apiKey, current } }: { session: SessionRecord }) => (
  <>
    {WAYS[how]}
    {apiKey && (
      <>
        {how === 'api_key' ? ' ' : ' of API key '}
        <Written value={apiKey.name} />
      </>
    )}{' '}
    {current && <Badge tone="good">this browser</Badge>}
  </>
)
