import type { Wallet } from '@wallet-standard/base'
import { useEffect, useState, type FormEvent } from 'react'
import { Link, Redirect } from 'wouter'
import { apiOf, ask, RequestError } from '../api/request.js'
import { keep, readKept } from '../browser-storage.js'
import { PageHead } from '../show/page-head.js'
import { Loading } from '../show/states.js'
import { ReplaceSession } from './replace-session.js'
import { useSession, type Session } from './session.js'
import { signByWallet } from './sign-by-wallet.js'
import { useWallets } from './use-wallets.js'

/** Remembered in this browser: an address is no secret. */
const LAST_GATEWAY = 'payment-tracking.gateway'

const firstGateway = (): string =>
  new URLSearchParams(location.search).get('gateway') ?? readKept(LAST_GATEWAY) ?? ''

/** A link that signs in. What follows the # is sent to no server, and leaves the address at once. */
const LINK = /^#link=([\w-]+)$/

/** A header takes nothing else, so no token and no key has anything else. */
const SENDABLE = /^[!-~]+$/
const NO_SECRET = 'This is neither a token nor a complete API key (ptk_ and 43 characters).'

/** `fetch` says that it reached nobody by a TypeError; some wallets say nothing. */
const messageOf = (error: Error): string =>
  error instanceof TypeError
    ? 'The service cannot be reached. Please try again.'
    : error.message || 'The wallet declined.'

/** Runs one way of signing in: says what failed, and keeps who signed in. Where nobody did, a question is left. */
function useAttempt(onSignedIn: () => void) {
  const { signIn } = useSession()
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const attempt = async (work: () => Promise<Session | null>) => {
    setProblem(null)
    setBusy(true)
    try {
      const session = await work()
      if (session === null) return
      keep(LAST_GATEWAY, session.gateway)
      await signIn(session)
      onSignedIn()
    } catch (error) {
      setProblem(messageOf(error as Error))
    } finally {
      setBusy(false)
    }
  }
  return { attempt, problem, isBusy }
}

/** A link asks where somebody is signed in; if it is refused, who was signed in stays so. */
export function SignInPage() {
  const { session, isKnown } = useSession()
  const [isByLink, setByLink] = useState(() => LINK.test(location.hash))
  if (isByLink || (isKnown && !session)) return <SignIn onSignedIn={() => setByLink(false)} />
  return session ? <Redirect to="/" replace /> : <Loading lines={12} />
}

export function SignIn({ onSignedIn = () => {} }: { onSignedIn?: () => void }) {
  const { session, endedBecause } = useSession()
  const wallets = useWallets()
  const [gateway, setGateway] = useState(firstGateway)
  const [secret, setSecret] = useState('')
  /** a link that was opened where somebody is signed in, and its gateway */
  const [asked, setAsked] = useState<{ link: string; gateway: string } | null>(null)
  const { attempt, problem, isBusy } = useAttempt(onSignedIn)
  const byLink = (link: string, replace: boolean) =>
    attempt(async () => {
      try {
        return await ask(apiOf().POST('/v1/session', { body: { link, replace } }))
      } catch (error) {
        if (!(error instanceof RequestError) || error.gateway === undefined) throw error
        setAsked({ link, gateway: error.gateway })
        return null
      }
    })
  const byWallet = (wallet: Wallet) =>
    attempt(() => {
      if (gateway.trim() === '') throw new Error('Enter the gateway first.')
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
    void byLink(link, false)
    // Once: the link is gone from the address.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [])

  if (asked)
    return (
      <ReplaceSession
        gateway={asked.gateway}
        problem={problem}
        isBusy={isBusy}
        onAgree={() => void byLink(asked.link, true)}
        onStay={onSignedIn}
      />
    )
  return (
    <>
      <PageHead
        title="Sign in as a gateway"
        lead="Payments and subscriptions are public. Revenue, endpoints and keys are private to your gateway."
      />
      {!navigator.cookieEnabled && (
        <p className="note">
          This browser keeps no cookies of this site. A session is a cookie: allow cookies to sign in.
        </p>
      )}
      {endedBecause && (
        <p className="note" role="status">
          {endedBecause} Sign in again to continue.
        </p>
      )}
      {problem && (
        <p role="alert" className="failure">
          {problem}
        </p>
      )}
      {problem && session && (
        <p className="note">
          You are still signed in as before. Go to the <Link href="/">overview</Link>.
        </p>
      )}
      <div className="halves">
        <article className="panel">
          <h2>With a wallet</h2>
          <p>
            Sign a message with the wallet of the gateway’s authority or signer. It starts with{' '}
            <b>{location.host}</b>, and no transaction is sent.
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
              Its on-chain address. <code>npm run gateway -- address</code> prints it from a key file.
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
              A key gives access to what its scopes allow. <code>npm run --silent sign-in</code> prints a
              token; the session ends when the token does.
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
