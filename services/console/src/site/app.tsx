import { lazy, Suspense, useEffect, useRef, type ReactNode } from 'react'
import { Link, Route, Switch, useLocation } from 'wouter'
import { OverviewPage } from './overview/overview-page.js'
import { PaymentsPage } from './payments/payments-page.js'
import { SignIn, SignInPage } from './session/sign-in.js'
import { useSession } from './session/session.js'
import { Boundary } from './shell/boundary.js'
import { Keys } from './shell/keys.js'
import { Menu } from './shell/menu.js'
import { Notes } from './shell/notes.js'
import { PageHead } from './show/page-head.js'
import { Loading } from './show/states.js'

const later = () => import('./later-pages.js')
const ChangesPage = lazy(async () => ({ default: (await later()).ChangesPage }))
const CustomerPage = lazy(async () => ({ default: (await later()).CustomerPage }))
const CustomersPage = lazy(async () => ({ default: (await later()).CustomersPage }))
const DeliveryPage = lazy(async () => ({ default: (await later()).DeliveryPage }))
const EndpointPage = lazy(async () => ({ default: (await later()).EndpointPage }))
const EndpointsPage = lazy(async () => ({ default: (await later()).EndpointsPage }))
const ExpectationPage = lazy(async () => ({ default: (await later()).ExpectationPage }))
const ExpectationsPage = lazy(async () => ({ default: (await later()).ExpectationsPage }))
const KeysPage = lazy(async () => ({ default: (await later()).KeysPage }))
const PaymentPage = lazy(async () => ({ default: (await later()).PaymentPage }))
const RevenuePage = lazy(async () => ({ default: (await later()).RevenuePage }))
const SettingsPage = lazy(async () => ({ default: (await later()).SettingsPage }))
const SubscriptionPage = lazy(async () => ({ default: (await later()).SubscriptionPage }))
const SubscriptionsPage = lazy(async () => ({ default: (await later()).SubscriptionsPage }))

/** The page that opens first is drawn before the others are loaded; whoever goes on then does not wait. */
const BEFORE_LATER_MS = 2_000

export function App() {
  useEffect(() => {
    // Without a network this fails; the page that needs it says so.
    const timer = setTimeout(() => void later().catch(() => {}), BEFORE_LATER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <Menu />
      <Keys />
      <div className="page">
        <Notes />
        <Main>
          <Content />
        </Main>
      </div>
    </>
  )
}

function Content() {
  const [location] = useLocation()
  return (
    <Boundary key={location} instead={<NotLoaded />}>
      <Suspense fallback={<Loading lines={12} />}>
        <Pages />
      </Suspense>
    </Boundary>
  )
}

/** A release that came meanwhile has other files, and without a network there are none. */
function NotLoaded() {
  return (
    <>
      <PageHead title="The page could not be loaded" />
      <div role="alert" className="failure">
        <p>There is no network, or the service has a newer release.</p>
        <button type="button" className="outline" onClick={() => window.location.reload()}>
          Load it again
        </button>
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
      <Route path="/sign-in" component={SignInPage} />
      <Route path="/expected">
        <ForGateway>
          <ExpectationsPage />
        </ForGateway>
      </Route>
      <Route path="/expected/:id">
        {({ id }) => (
          <ForGateway>
            <ExpectationPage key={id} id={id} />
          </ForGateway>
        )}
      </Route>
      <Route path="/customers">
        <ForGateway>
          <CustomersPage />
        </ForGateway>
      </Route>
      <Route path="/customers/:wallet">
        {({ wallet }) => (
          <ForGateway>
            <CustomerPage key={wallet} wallet={wallet} />
          </ForGateway>
        )}
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
      <Route path="/changes">
        <ForGateway>
          <ChangesPage />
        </ForGateway>
      </Route>
      <Route path="/settings">
        <ForGateway>
          <SettingsPage />
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
          Go to <Link href="/payments">payments</Link> or the <Link href="/">overview</Link>.
        </p>
      </Route>
    </Switch>
  )
}

/** Gives the focus to a new page: a screen reader then tells of it. */
function Main({ children }: { children: ReactNode }) {
  const main = useRef<HTMLElement>(null)
  const [location] = useLocation()
  const isFirst = useRef(true)
  useEffect(() => {
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
  const { session, isKnown } = useSession()
  if (session) return children
  return isKnown ? <SignIn /> : <Loading lines={12} />
}
