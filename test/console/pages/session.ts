// Who is signed in: by wallet, by API key, and for how long.
import { waitFor } from '@payment-tracking/testkit'
import { checkPage } from '../check-page.js'
import { holdsText } from '../hold.js'
import { press, type } from '../walk-by-keyboard.js'
import t from 'tap'
import { type Market } from '../open-market.js'

/** Ends signed in, on the page of endpoints. */
export function testSignIn({ gateway, page, go }: Market): void {
  t.test('a gateway signs in by its wallet, with the keyboard alone', async t => {
    await go(`/endpoints?gateway=${gateway.address}`)
    const button = page.getByRole('button', { name: 'Sign in with Test Wallet' })
    await button.waitFor()
    await checkPage(t, page, 'sign-in')
    await press(page, button)
    await page.getByRole('heading', { name: 'Endpoints' }).waitFor()
    await checkPage(t, page, 'endpoints')
  })
}

/** Signs out, and in again by an API key. */
export function testSession({ page, go, receiver, field, button }: Market): void {
  const account = page.locator('.account')
  const readToken = () =>
    page.evaluate(
      () => (JSON.parse(sessionStorage.getItem('payment-tracking.session')!) as { token: string }).token,
    )
  t.test('who is signed in is named, and goes on without losing the page', async t => {
    await holdsText(t, account, /Console Test[^]*signed in for \d+ min/, 'the name and how long')
    const before = await readToken()
    await press(page, page.getByRole('link', { name: 'API keys' }))
    await type(page, field('Name'), 'half written')
    await press(page, account.getByRole('button', { name: 'Renew' }))
    await waitFor(async () => (await readToken()) !== before, { what: 'another token' })
    t.equal(await field('Name').inputValue(), 'half written', 'the page is as it was')
  })

  t.test('a token signs in without the address of its gateway', async t => {
    const token = await readToken()
    await press(page, button('Sign out'))
    await page.evaluate(() => localStorage.clear())
    await go('/sign-in')
    await type(page, field('API key or token'), token)
    await press(page, button('Sign in'))
    await holdsText(t, account, /Console Test/, 'the gateway of the token')
  })

  t.test('an API key made in the console signs in, as far as its scope goes', async t => {
    await press(page, page.getByRole('link', { name: 'API keys' }))
    await type(page, field('Name'), 'order server')
    await press(page, button('Make it'))
    await page.locator('code.secret').waitFor()
    const key = await page.locator('code.secret').innerText()
    await page.locator('tbody tr', { hasText: 'order server' }).waitFor()
    await checkPage(t, page, 'API keys')
    await press(page, button('Sign out'))
    await page.getByRole('heading', { name: 'Sign in as a gateway' }).waitFor()
    await type(page, field('API key or token'), key)
    await press(page, button('Sign in'))
    await page.getByRole('alert').waitFor()
    await press(page, page.getByRole('link', { name: 'Endpoints' }))
    await page.locator('tbody tr', { hasText: receiver.url }).waitFor()
    t.pass('the endpoints are shown')
  })
}
