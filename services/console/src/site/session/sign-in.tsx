import type { Wallet } from '@wallet-standard/base'
import { useState, type FormEvent } from 'react'
import { apiOf, ask, RequestError } from '../api/request.js'
import { PageHead } from '../show/page-head.js'
import { useSession, type Session } from './session.js'
import { signByWallet } from './sign-by-wallet.js'
import { readClaims } from './token-claims.js'
import { useWallets } from './use-wallets.js'

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

/** Runs one way of signing in: says what failed, and keeps who signed in. */
function useAttempt() {
  const { signIn } = useSession()
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const attempt = async (address: string, work: (address: string) => Promise<Session>) => {
    if (address === '') return setProblem('Name the gateway first.')
    setProblem(null)
    setBusy(true)
    try {
      const session = await work(address)
      localStorage.setItem(LAST_GATEWAY, address)
      signIn(session)
    } catch (error) {
      setProblem((error as Error).message || 'The wallet refused.')
    } finally {
      setBusy(false)
    }
  }
  return { attempt, problem, isBusy }
}

export function SignIn() {
  const { endedBecause } = useSession()
  const wallets = useWallets()
  const [gateway, setGateway] = useState(firstGateway)
  const [secret, setSecret] = useState('')
  const { attempt, problem, isBusy } = useAttempt()
  const byWallet = (wallet: Wallet) => attempt(gateway.trim(), address => signByWallet(address, wallet))
  const bySecret = (event: FormEvent) => {
    event.preventDefault()
    const token = secret.trim()
    const claims = readClaims(token)
    // A token names its gateway, so that nobody needs to write the address.
    void attempt(claims.gateway ?? gateway.trim(), async address => {
      await checkSecret(address, token)
      return { gateway: address, token, expiresAt: claims.expiresAt }
    })
  }

  return (
    <>
      <PageHead
        title="Sign in as a gateway"
        lead="Payments and subscriptions are open to everybody. Revenue, endpoints and keys are the gateway’s own."
      />
      {endedBecause && (
        <p className="note" role="status">
          {endedBecause} Please sign in again; this page then goes on.
        </p>
      )}
      <div className="tight">
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
        <p id="gateway-help" className="small quiet">
          Its address on the chain. <code>npm run gateway -- address</code> prints the one of a key file.
        </p>
      </div>
      {problem && (
        <p role="alert" className="failure">
          {problem}
        </p>
      )}
      <div className="halves">
        <article className="panel">
          <h2>With a wallet</h2>
          <p>
            The wallet of the gateway’s authority or signer signs a text that begins with{' '}
            <b>{location.host}</b>. It sends no transaction.
          </p>
          {wallets.length === 0 && (
            <p className="quiet">
              This browser has no wallet that signs messages. Install one, or use a key or token.
            </p>
          )}
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
        <article className="panel">
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
            <p id="secret-help" className="small quiet">
              <code>npm run --silent sign-in</code> prints a token, which names its gateway. It is kept in
              this tab until you sign out.
            </p>
            <button type="submit" className="outline" disabled={isBusy}>
              Sign in
            </button>
          </form>
        </article>
      </div>
    </>
  )
}
