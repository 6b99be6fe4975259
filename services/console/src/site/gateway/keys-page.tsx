import type { Schemas } from '@payment-tracking/client'
import { useState, type FormEvent } from 'react'
import { ask } from '../api/request.js'
import { useGatewayOrder, useGatewayQuery } from '../session/use-gateway.js'
import { Failure, Loaded, Table } from '../show/states.js'
import { Time } from '../show/values.js'

type Scope = Schemas['ApiKey']['scopes'][number]

/** Written as a record, so that a new scope of the API does not compile until it stands here. */
const SCOPES: Record<Scope, string> = {
  'webhooks:read': 'see endpoints and their deliveries',
  'webhooks:write': 'change endpoints, replay, see secrets',
  'merchant:read': 'see revenue and subscribers',
}

export function KeysPage() {
  const query = useGatewayQuery(['api-keys'], ({ api }) => ask(api.GET('/v1/api-keys', {})))
  const revoke = useGatewayOrder(({ api }, id: number) =>
    ask(api.DELETE('/v1/api-keys/{id}', { params: { path: { id } } })),
  )
  return (
    <>
      <h1>API keys</h1>
      <p className="quiet">
        A key is for a machine: it acts for the gateway until you revoke it. Only a wallet makes and revokes
        keys.
      </p>
      <Loaded query={query}>
        {keys =>
          keys.length === 0 ? (
            <p className="quiet">There is no key.</p>
          ) : (
            <Table
              title="API keys"
              head={['name', 'begins with', 'scopes', 'last used', 'made', 'expires', 'revoke']}
            >
              {keys.map(key => (
                <tr key={String(key.id)}>
                  <td className="text">{key.name}</td>
                  <td>
                    <code>{key.hint}…</code>
                  </td>
                  <td>{key.scopes.join(', ')}</td>
                  <td>
                    {key.lastUsedAt === null ? (
                      <span className="quiet">never</span>
                    ) : (
                      <Time at={key.lastUsedAt} />
                    )}
                  </td>
                  <td>
                    <Time at={key.createdAt} />
                  </td>
                  <td>
                    {key.expiresAt === null ? (
                      <span className="quiet">never</span>
                    ) : (
                      <Time at={key.expiresAt} />
                    )}
                  </td>
                  <td>
                    <button
                      type="button"
                      className="outline small"
                      aria-label={`Revoke ${key.name}`}
                      onClick={() => revoke.mutate(Number(key.id))}
                    >
                      Revoke
                    </button>
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Loaded>
      <Failure error={revoke.error} />
      <NewKey />
    </>
  )
}

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
    <section aria-labelledby="new">
      <h2 id="new">Make a key</h2>
      <form onSubmit={submit}>
        <label>
          Name
          <input required maxLength={100} value={name} onChange={event => setName(event.target.value)} />
        </label>
        <fieldset>
          <legend>It may</legend>
          {(Object.keys(SCOPES) as Scope[]).map(scope => (
            <label key={scope}>
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                onChange={event =>
                  setScopes(event.target.checked ? [...scopes, scope] : scopes.filter(each => each !== scope))
                }
              />
              <code>{scope}</code> <small className="quiet">{SCOPES[scope]}</small>
            </label>
          ))}
        </fieldset>
        <button type="submit" disabled={scopes.length === 0} aria-busy={create.isPending}>
          Make it
        </button>
      </form>
      <Failure error={create.error} />
      <div role="status">
        {create.data && (
          <p>
            Keep it now, it is not shown again: <code className="secret">{create.data.key}</code>
          </p>
        )}
      </div>
    </section>
  )
}
