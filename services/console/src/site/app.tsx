import { useEffect, useRef, type ReactNode } from 'react'
import { Link, Redirect, Route, Switch, useLocation } from 'wouter'
import { DeliveryPage } from './gateway/delivery-page.js'
import { EndpointPage } from './gateway/endpoint-page.js'
import { EndpointsPage } from './gateway/endpoints-page.js'
import { KeysPage } from './gateway/keys-page.js'
import { RevenuePage } from './gateway/revenue-page.js'
import { OverviewPage } from './overview/overview-page.js'
import { PaymentPage } from './payments/payment-page.js'
import { PaymentsPage } from './payments/payments-page.js'
import { SignIn } from './session/sign-in.js'
import { useSession } from './session/session.js'
import { ENVIRONMENT, IS_PRODUCTION } from './settings.js'
import { Menu } from './shell/menu.js'
import { Notes } from './shell/notes.js'
import { PageHead } from './show/page-head.js'
import { SubscriptionPage } from './subscriptions/subscription-page.js'
import { SubscriptionsPage } from './subscriptions/subscriptions-page.js'

export function App() {
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <Menu />
      <div className="page">
        <Notes />
        <Main>
          <Pages />
        </Main>
      </div>
    </>
  )
}

function Pages() {
  return (
    <Switch>
      <Route path="/" component={OverviewPage} />
      <Route path="/payments" component={PaymentsPage} />
      <Route path="/payments/:signature">
        {({ signature }) => <PaymentPage key={signature} signature={signature} />}
      </Route>
      <Route path="/subscriptions" component={SubscriptionsPage} />
      <Route path="/subscriptions/:address">
        {({ address }) => <SubscriptionPage key={address} address={address} />}
      </Route>
      <Route path="/sign-in">
        <ForGateway>
          <Redirect to="/" replace />
        </ForGateway>
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
      <Route>
        <PageHead title="There is no such page" />
        <p>
          Go on with <Link href="/payments">the payments</Link>, or <Link href="/">how things stand</Link>.
        </p>
      </Route>
    </Switch>
  )
}

/** Gives the title of the page to the window, and the focus to a new page: a screen reader then tells of it. */
function Main({ children }: { children: ReactNode }) {
  const main = useRef<HTMLElement>(null)
  const [location] = useLocation()
  const isFirst = useRef(true)
  useEffect(() => {
    const title = main.current?.querySelector('h1')?.textContent
    const environment = IS_PRODUCTION ? '' : `[${ENVIRONMENT}] `
    document.title = `${environment}${title ? `${title} · ` : ''}Payment tracking`
    if (!isFirst.current) {
      main.current?.focus({ preventScroll: true })
      scrollTo(0, 0)
    }
    isFirst.current = false
  }, [location])
  return (
    <main id="content" tabIndex={-1} ref={main}>
      {children}
    </main>
  )
}

/** Shows the sign-in instead of a page that only the gateway may see. */
function ForGateway({ children }: { children: ReactNode }) {
  const { session } = useSession()
  return session ? children : <SignIn />
}
