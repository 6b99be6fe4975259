// The console in a real browser, with real payments: each page, sign-in by a wallet that signs for real, the keyboard,
// and what a browser enforces. Set UPDATE_SCREENSHOTS to take the pictures of the guides anew. All of it happens in one
// browser on one running system: the pages are tested in this order, by the files of test/console/pages.
import t from 'tap'
import { checkPage } from '../console/check-page.js'
import { openMarket } from '../console/open-market.js'
import { testAway } from '../console/pages/away.js'
import { testChanges } from '../console/pages/changes.js'
import { testCustomers } from '../console/pages/customers.js'
import { testEndpoints } from '../console/pages/endpoints.js'
import { testExpected } from '../console/pages/expected.js'
import { testFindOfGateway, testFindOfStranger } from '../console/pages/find.js'
import { testOddVisits } from '../console/pages/odd-visits.js'
import { testOverviewOfGateway, testOverviewOfStranger } from '../console/pages/overview.js'
import { testOwnPayments, testPayments } from '../console/pages/payments.js'
import { testRevenue } from '../console/pages/revenue.js'
import { testSession, testSignIn } from '../console/pages/session.js'
import { testSubscriptions } from '../console/pages/subscriptions.js'
import { press } from '../console/walk-by-keyboard.js'

const market = await openMarket(t)
const { baseUrl, page, go, outside, complaints } = market

testOverviewOfStranger(market)
testPayments(market)
testSubscriptions(market)
testFindOfStranger(market)
testSignIn(market)
testOwnPayments(market)
testEndpoints(market)
testExpected(market)
testFindOfGateway(market)
testChanges(market)
testRevenue(market)
testCustomers(market)
testOverviewOfGateway(market)
testSession(market)

t.test('the base URL opens as a page, and an address without a page says so', async t => {
  await page.goto(baseUrl, { waitUntil: 'load' })
  await checkPage(t, page, 'base URL')
  await press(page, page.getByRole('link', { name: /console/i }).first())
  await page.getByText('live', { exact: true }).waitFor()
  await go('/nowhere')
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
  await checkPage(t, page, 'no such page')
})

testOddVisits(market)

t.test('nothing came from another server, and the browser refused nothing', async t => {
  t.same(outside, [])
  // The browser reports each refusal of the API: a filter and wrong tokens were refused, the key may not list keys, and
  // a link asked first. It also reports that an interface of this machine came or went, as containers beside the test make them.
  const others = complaints.filter(text => !/status of 40[0139]|ERR_NETWORK_CHANGED/.test(text))
  t.same(others, [])
})

// Last: the browser complains of a network that is away.
testAway(market)
