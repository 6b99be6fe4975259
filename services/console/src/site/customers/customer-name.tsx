import { useState, type FormEvent } from 'react'
import { ask } from '../api/request.js'
import { useGatewayOrder } from '../session/use-gateway.js'
import { Failure } from '../show/states.js'

const LONGEST = 64

/** What the gateway calls the wallet, as a field. @param name as it is now */
export function CustomerName({ wallet, name }: { wallet: string; name: string | null }) {
  const [text, setText] = useState(name ?? '')
  const order = useGatewayOrder(({ api, gateway }, called: string | null) =>
    ask(
      api.PUT('/v1/gateway/{gateway}/merchant/subscribers/{wallet}', {
        params: { path: { gateway, wallet } },
        body: { name: called },
      }),
    ),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    order.mutate(text.trim() === '' ? null : text.trim())
  }
  return (
    <form onSubmit={submit}>
      <div className="columns with-button">
        <label>
          Name
          <input
            value={text}
            maxLength={LONGEST}
            autoComplete="off"
            placeholder="Only your gateway sees it"
            onChange={event => setText(event.target.value)}
          />
        </label>
        <button type="submit" className="outline" aria-busy={order.isPending}>
          Save name
        </button>
      </div>
      <Failure error={order.error} />
      <p role="status" className="quiet">
        {order.isSuccess && 'Saved.'}
      </p>
    </form>
  )
}
