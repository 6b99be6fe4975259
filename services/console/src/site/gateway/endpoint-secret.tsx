import { useRef } from 'react'
import { ask } from '../api/request.js'
import { useGatewayOrder } from '../session/use-gateway.js'
import { Failure } from '../show/states.js'
import { Time } from '../show/values.js'

/** The secret that signs the deliveries: shown and replaced only when asked. */
export function EndpointSecret({ id }: { id: number }) {
  const path = { params: { path: { id } } }
  const show = useGatewayOrder(({ api }) => ask(api.GET('/v1/webhooks/{id}/secret', path)))
  const rotate = useGatewayOrder(({ api }) => ask(api.POST('/v1/webhooks/{id}/secret/rotate', path)))
  const dialog = useRef<HTMLDialogElement>(null)
  const secret = rotate.data ?? show.data
  return (
    <section className="panel" aria-labelledby="secret">
      <h2 id="secret">Signing secret</h2>
      <div className="row">
        <button type="button" className="outline" onClick={() => show.mutate()}>
          Reveal
        </button>
        <button type="button" className="outline" onClick={() => dialog.current?.showModal()}>
          Rotate
        </button>
      </div>
      <div role="status">
        {secret && (
          <p>
            <code className="secret">{secret.secret}</code>
            {secret.previousSecretExpiresAt && (
              <>
                {' '}
                The previous secret keeps signing until <Time at={secret.previousSecretExpiresAt} />.
              </>
            )}
          </p>
        )}
      </div>
      <Failure error={rotate.error ?? show.error} />
      <dialog ref={dialog} aria-labelledby="rotate-title">
        <div className="tight">
          <h3 id="rotate-title">Rotate the secret?</h3>
          <p>
            The old secret keeps signing alongside the new one for 24 hours. Update your server before then.
          </p>
          <form method="dialog" className="row">
            <button type="submit" className="outline">
              Cancel
            </button>
            <button type="submit" onClick={() => rotate.mutate()}>
              Rotate
            </button>
          </form>
        </div>
      </dialog>
    </section>
  )
}
