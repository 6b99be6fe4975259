import type { Schemas } from '@payment-tracking/client'
import { useState, type FormEvent } from 'react'
import { ask } from '../api/request.js'
import { useGatewayOrder, useGatewayQuery } from '../session/use-gateway.js'
import { PageHead } from '../show/page-head.js'
import { Empty, Failure, Loaded } from '../show/states.js'
import { Table } from '../show/table.js'
import { Time, Written } from '../show/values.js'

type Scope = Schemas['ApiKey']['scopes'][number]

/** Written as a record, so that a new scope of the API does not compile until it stands here. */
const SCOPES: Record<Scope, string> = {
  'webhooks:read': 'See endpoints and their deliveries',
  'webhooks:write': 'Change endpoints, replay deliveries, see secrets',
  'merchant:read': 'See revenue and customers',
  'merchant:write': 'Name customers',
  expectations: 'Create and see expected payments',
}

export function KeysPage() {
  const query = useGatewayQuery(['api-keys'], ({ api }) => ask(api.GET('/v1/api-keys', {})))
  const revoke = useGatewayOrder(({ api }, id: number) =>
    ask(api.DELETE('/v1/api-keys/{id}', { params: { path: { id } } })),
  )
  return (
    <>
      <PageHead
        title="API keys"
        lead="A key lets a server act for your gateway until you revoke it. Only a wallet can create and revoke keys."
      />
      <Loaded query={query}>
        {keys =>
          keys.length === 0 ? (
            <Empty title="No API keys yet">
              Create one below for a server that calls the API without a wallet.
            </Empty>
          ) : (
            <Table
              title="API keys"
              rows={keys}
              keyOf={({ id }) => String(id)}
              columns={[
                { head: 'name', kind: 'text', phone: 'lead', cell: ({ name }) => <Written value={name} /> },
                { head: 'begins with', cell: ({ hint }) => <code>{hint}…</code> },
                { head: 'scopes', kind: 'text', cell: ({ scopes }) => scopes.join(', ') },
                { head: 'last used', cell: ({ lastUsedAt }) => <TimeOrNever at={lastUsedAt} /> },
                { head: 'created', cell: ({ createdAt }) => <Time at={createdAt} /> },
                {
                  head: 'expires',
                  cell: ({ expiresAt, ended }) => (ended ? 'expired' : <TimeOrNever at={expiresAt} />),
                },
                {
                  head: 'revoke',
                  phone: 'side',
                  cell: ({ id, name }) => (
                    <button
                      type="button"
                      className="outline"
                      aria-label={`Revoke ${name}`}
                      onClick={() => revoke.mutate(Number(id))}
                    >
                      Revoke
                    </button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <Failure error={revoke.error} />
      <NewKey />
    </>
  )
}

const TimeOrNever = ({ at }: { at: string | null }) =>
  at === null ? <span className="quiet">never</span> : <Time at={at} />

function NewKey() {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>(['webhooks:read'])
  const create = useGatewayOrder(({ api }) =>
    ask(api.POST('/v1/api-keys', { body: { name: name.trim(), scopes: [...scopes] } })),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate(undefined, { onSuccess: () => setName('') })
  }
  return (
    <section className="panel" aria-labelledby="new">
      <h2 id="new">Create a key</h2>
      <form onSubmit={submit}>
        <label>
          Name
          <input required maxLength={100} value={name} onChange={event => setName(event.target.value)} />
        </label>
        <fieldset>
          <legend>Scopes</legend>
          {(Object.keys(SCOPES) as Scope[]).map(scope => (
            <label key={scope} className="tick">
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                onChange={event =>
                  setScopes(event.target.checked ? [...scopes, scope] : scopes.filter(each => each !== scope))
                }
              />
              <span>
                <code>{scope}</code> <small className="quiet">{SCOPES[scope]}</small>
              </span>
            </label>
          ))}
        </fieldset>
        <button type="submit" disabled={scopes.length === 0} aria-busy={create.isPending}>
          Create key
        </button>
      </form>
      <Failure error={create.error} />
      <div role="status">
        {create.data && (
          <p>
            Copy it now; it will not be shown again: <code className="secret">{create.data.key}</code>
          </p>
        )}
      </div>
    </section>
  )
}
