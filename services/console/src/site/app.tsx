import { useEffect, useRef, type ReactNode } from 'react'
import { Link, Redirect, Route, Switch, useLocation } from 'wouter'
import { DeliveryPage } from './gateway/delivery-page.js'
import { EndpointPage } from './gateway/endpoint-page.js'
import { EndpointsPage } from './gateway/endpoints-page.js'
import { KeysPage } from './gateway/keys-page.js'
import { RevenuePage } from './gateway/revenue-page.js'
import { PaymentPage } from './payments/payment-page.js'
import { PaymentsPage } from './payments/payments-page.js'
import { SignIn } from './session/sign-in.js'
import { useSession } from './session/session.js'
import { SubscriptionPage } from './subscriptions/subscription-page.js'
import { SubscriptionsPage } from './subscriptions/subscriptions-page.js'

const SECTIONS = [
  { href: '/payments', title: 'Payments' },
  { href: '/subscriptions', title: 'Subscriptions' },
  { href: '/revenue', title: 'Revenue' },
  { href: '/endpoints', title: 'Endpoints' },
  { href: '/keys', title: 'API keys' },
] as const

export function App() {
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <Menu />
      <Main>
        <Switch>
          <Route path="/payments" component={PaymentsPage} />
          <Route path="/payments/:signature">
            {({ signature }) => <PaymentPage key={signature} signature={signature} />}
          </Route>
          <Route path="/subscriptions" component={SubscriptionsPage} />
          <Route path="/subscriptions/:address">
            {({ address }) => <SubscriptionPage key={address} address={address} />}
          </Route>
          <Route path="/revenue">
            <ForGateway>
              <RevenuePage />
            </ForGateway>
          </Route>
          <Route path="/endpoints">
            <ForGateway>
              <EndpointsPage />
            </ForGateway>
          </Route>
          <Route path="/keys">
            <ForGateway>
              <KeysPage />
            </ForGateway>
          </Route>
          <Route path="/endpoints/:id">
            {({ id }) => (
              <ForGateway>
                <EndpointPage key={id} id={Number(id)} />
              </ForGateway>
            )}
          </Route>
          <Route path="/endpoints/:id/deliveries/:delivery">
            {({ id, delivery }) => (
              <ForGateway>
                <DeliveryPage key={delivery} id={Number(id)} deliveryId={Number(delivery)} />
              </ForGateway>
            )}
          </Route>
          <Route path="/">
            <Redirect to="/payments" replace />
          </Route>
          <Route>
            <h1>There is no such page</h1>
            <p>
              Go on with <Link href="/payments">the payments</Link>.
            </p>
          </Route>
        </Switch>
      </Main>
    </>
  )
}

function Menu() {
  const { session, signOut } = useSession()
  return (
    <header className="container-fluid">
      <nav aria-label="Console">
        <strong>Payment tracking</strong>
        <ul className="sections">
          {SECTIONS.map(({ href, title }) => (
            <li key={href}>
              <SectionLink href={href}>{title}</SectionLink>
            </li>
          ))}
        </ul>
        {session && (
          <button type="button" className="outline secondary small" onClick={signOut}>
            Sign out
          </button>
        )}
      </nav>
    </header>
  )
}

function SectionLink({ href, children }: { href: string; children: ReactNode }) {
  const [location] = useLocation()
  const isCurrent = location === href || location.startsWith(`${href}/`)
  return (
    <Link href={href} aria-current={isCurrent ? 'page' : undefined}>
      {children}
    </Link>
  )
}

/** Gives the title of the page to the window, and the focus to a new page: a screen reader then tells of it. */
function Main({ children }: { children: ReactNode }) {
  const main = useRef<HTMLElement>(null)
  const [location] = useLocation()
  const isFirst = useRef(true)
  useEffect(() => {
    const title = main.current?.querySelector('h1')?.textContent
    document.title = `${title ? `${title} · ` : ''}Payment tracking console`
    if (!isFirst.current) main.current?.focus()
    isFirst.current = false
  }, [location])
  return (
    <main id="content" className="container-fluid" tabIndex={-1} ref={main}>
      {children}
    </main>
  )
}

/** Shows the sign-in instead of a page that only the gateway may see. */
function ForGateway({ children }: { children: ReactNode }) {
  const { session } = useSession()
  return session ? children : <SignIn />
}
