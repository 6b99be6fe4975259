import type { Wallet } from '@wallet-standard/base'
import { useState, type FormEvent } from 'react'
import { apiOf, ask, RequestError } from '../api/request.js'
import { useSession } from './session.js'
import { connectWallet, useWallets } from './use-wallets.js'

/** Remembered in this browser: an address is no secret. */
const LAST_GATEWAY = 'payment-tracking.gateway'

const firstGateway = (): string =>
  new URLSearchParams(location.search).get('gateway') ?? localStorage.getItem(LAST_GATEWAY) ?? ''

/**
 * A token of another gateway must not open pages that then fail one by one. A key may have one scope alone.
 * @throws RequestError
 */
async function checkSecret(gateway: string, token: string): Promise<void> {
  const api = apiOf(token)
  try {
    await ask(
      api.GET('/v1/webhooks/gateway/{gatewayPubkey}', {
        params: { path: { gatewayPubkey: gateway }, query: {} },
      }),
    )
  } catch (error) {
    if (!(error instanceof RequestError) || error.status !== 403) throw error
    await ask(
      api.GET('/v1/gateway/{gateway}/merchant/policies', {
        params: { path: { gateway }, query: { limit: 1 } },
      }),
    )
  }
}

export function SignIn() {
  const { signIn, endedBecause } = useSession()
  const wallets = useWallets()
  const [gateway, setGateway] = useState(firstGateway)
  const [secret, setSecret] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)

  const attempt = async (work: (address: string) => Promise<void>) => {
    const address = gateway.trim()
    if (address === '') return setProblem('Name the gateway first.')
    setProblem(null)
    setBusy(true)
    try {
      await work(address)
    } catch (error) {
      setProblem((error as Error).message || 'The wallet refused.')
    } finally {
      setBusy(false)
    }
  }
  const keep = (address: string, token: string, expiresAt: number | null) => {
    localStorage.setItem(LAST_GATEWAY, address)
    signIn({ gateway: address, token, expiresAt })
  }
  const byWallet = (wallet: Wallet) =>
    attempt(async address => {
      const path = { gateway: address }
      const account = await connectWallet(wallet)
      const { nonce } = await ask(apiOf().POST('/v1/gateway/{gateway}/auth/challenge', { params: { path } }))
      const signature = await account.sign(nonce)
      const { token, expiresIn } = await ask(
        apiOf().POST('/v1/gateway/{gateway}/auth/verify', {
          params: { path },
          body: { signer: account.signer, signature, nonce },
        }),
      )
      keep(address, token, Date.now() + Number(expiresIn) * 1_000)
    })
  const bySecret = (event: FormEvent) => {
    event.preventDefault()
    void attempt(async address => {
      const token = secret.trim()
      await checkSecret(address, token)
      keep(address, token, null)
    })
  }

  return (
    <>
      <h1>Sign in as a gateway</h1>
      {endedBecause && <p role="status">{endedBecause} Please sign in again.</p>}
      <label>
        Gateway
        <input
          value={gateway}
          onChange={event => setGateway(event.target.value)}
          autoComplete="off"
          spellCheck={false}
          aria-describedby="gateway-help"
        />
      </label>
      <small id="gateway-help">
        Its address on the chain. <code>npm run gateway -- address</code> prints the one of a key file.
      </small>
      {problem && (
        <p role="alert" className="failure">
          {problem}
        </p>
      )}
      <div className="columns">
        <article>
          <h2>With a wallet</h2>
          <p>The wallet of the gateway’s authority or signer signs one sentence. It sends no transaction.</p>
          {wallets.length === 0 && <p className="quiet">This browser has no wallet that signs messages.</p>}
          {wallets.map(wallet => (
            <button
              key={wallet.name}
              type="button"
              disabled={isBusy}
              aria-busy={isBusy}
              onClick={() => void byWallet(wallet)}
            >
              Sign in with {wallet.name}
            </button>
          ))}
        </article>
        <article>
          <h2>With an API key or a token</h2>
          <form onSubmit={bySecret}>
            <label>
              API key or token
              <input
                type="password"
                required
                value={secret}
                onChange={event => setSecret(event.target.value)}
                autoComplete="off"
                aria-describedby="secret-help"
              />
            </label>
            <small id="secret-help">
              <code>npm run --silent sign-in</code> prints a token. It is kept in this tab until you sign out.
            </small>
            <button type="submit" disabled={isBusy}>
              Sign in
            </button>
          </form>
        </article>
      </div>
    </>
  )
}
