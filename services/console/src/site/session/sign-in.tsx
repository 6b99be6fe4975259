import type { Wallet } from '@wallet-standard/base'
import { useEffect, useState, type FormEvent } from 'react'
import { apiOf, ask } from '../api/request.js'
import { PageHead } from '../show/page-head.js'
import { useSession, type Session } from './session.js'
import { signByWallet } from './sign-by-wallet.js'
import { useWallets } from './use-wallets.js'

/** Remembered in this browser: an address is no secret. */
const LAST_GATEWAY = 'payment-tracking.gateway'

const firstGateway = (): string =>
  new URLSearchParams(location.search).get('gateway') ?? localStorage.getItem(LAST_GATEWAY) ?? ''

/** A link that signs in. What follows the # is sent to no server, and leaves the address at once. */
const LINK = /^#link=([\w-]+)$/

/** A header takes nothing else, so no token and no key has anything else. */
const SENDABLE = /^[!-~]+$/
const NO_SECRET = 'This is neither a token nor a whole API key, which is ptk_ and 43 characters.'

/** `fetch` says that it reached nobody by a TypeError; some wallets say nothing. */
const messageOf = (error: Error): string =>
  error instanceof TypeError
    ? 'The service cannot be reached. Please try again.'
    : error.message || 'The wallet refused.'

/** Runs one way of signing in: says what failed, and keeps who signed in. */
function useAttempt() {
  const { signIn } = useSession()
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const attempt = async (work: () => Promise<Session>) => {
    setProblem(null)
    setBusy(true)
    try {
      const session = await work()
      localStorage.setItem(LAST_GATEWAY, session.gateway)
      await signIn(session)
    } catch (error) {
      setProblem(messageOf(error as Error))
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
  const byWallet = (wallet: Wallet) =>
    attempt(() => {
      if (gateway.trim() === '') throw new Error('Name the gateway first.')
      return signByWallet(gateway.trim(), wallet)
    })
  const bySecret = (event: FormEvent) => {
    event.preventDefault()
    void attempt(() => {
      if (!SENDABLE.test(secret.trim())) throw new Error(NO_SECRET)
      return ask(apiOf(secret.trim()).POST('/v1/session', {}))
    })
  }
  useEffect(() => {
    const link = LINK.exec(location.hash)?.[1]
    if (link === undefined) return
    history.replaceState(history.state, '', location.pathname + location.search)
    void attempt(() => ask(apiOf().POST('/v1/session', { body: { link } })))
    // Once: the link is gone from the address.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [])

  return (
    <>
      <PageHead
        title="Sign in as a gateway"
        lead="Payments and subscriptions are open to everybody. Revenue, endpoints and keys are the gateway’s own."
      />
      {endedBecause && (
        <p className="note" role="status">
          {endedBecause} Sign in again, and this page goes on.
        </p>
      )}
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
              A key opens what its scopes allow. <code>npm run --silent sign-in</code> prints a token, whose
              session ends with it.
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
