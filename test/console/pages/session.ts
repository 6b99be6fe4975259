// Who is signed in: by wallet, by API key, and for how long.
import { createServer } from 'node:http'
import { listen } from '@payment-tracking/testkit'
import type { Page } from 'playwright-core'
import { askJson } from '../../ask-json.js'
import { signIn } from '../../chaos/load/receivers.js'
import { checkPage } from '../check-page.js'
import { holdsCount, holdsText } from '../hold.js'
import { press, type } from '../walk-by-keyboard.js'
import t from 'tap'
import { USDC, type Market } from '../open-market.js'

/** Ends signed in, on the page of endpoints. */
export function testSignIn({ gateway, page, go }: Market): void {
  t.test('a gateway signs in by its wallet, with the keyboard alone', async t => {
    await go(`/payments?token=${USDC}&gateway=${gateway.address}`)
    const button = page.getByRole('button', { name: 'Sign in with Test Wallet' })
    await button.waitFor()
    await checkPage(t, page, 'sign-in')
    await press(page, button)
    await page.getByRole('region', { name: 'Filtered payments', exact: true }).first().waitFor()
    t.match(page.url(), `token=${USDC}`, 'a link that was shared keeps its filters')
    await press(page, page.getByRole('link', { name: 'Endpoints' }))
    await page.getByRole('heading', { name: 'Endpoints' }).waitFor()
    await checkPage(t, page, 'endpoints')
  })
}

const signOut = (page: Page) =>
  press(page, page.locator('.account').getByRole('button', { name: 'Sign out' }))

/** Signs out, and in again by a token, an API key and a link. */
export function testSession({
  baseUrl,
  gateway,
  page,
  receiver,
  field,
  button,
  chain,
  publish,
}: Market): void {
  const account = page.locator('.account')
  const signInPage = page.getByRole('heading', { name: 'Sign in as a gateway' })
  const cookies = () => page.context().cookies(baseUrl)
  const bySecret = async (secret: string) => {
    await signInPage.waitFor()
    await type(page, field('API key or token'), secret)
    await press(page, button('Sign in'))
  }

  t.test('who signed in stays so after a reload and in every tab; no script sees the cookie', async t => {
    await holdsText(
      t,
      account,
      /Console Test[^]*Session ends in 13 d 23 h at the latest/,
      'the name and how long',
    )
    await page.reload()
    await holdsText(t, account, /Console Test/, 'after a reload')
    const [cookie] = await cookies()
    t.match(cookie, {
      name: `session-production-${new URL(baseUrl).port}`,
      httpOnly: true,
      sameSite: 'Strict',
      secure: false,
      path: '/',
    })
    const seen = await page.evaluate(() =>
      JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }]),
    )
    t.notOk(seen.includes(cookie!.value), 'no script sees it')
    const second = await page.context().newPage()
    await second.goto(`${baseUrl}/console/keys`)
    await second.getByRole('heading', { name: 'API keys' }).waitFor()
    await signOut(page)
    // A key that is pressed while the page becomes that of a stranger can be lost with what had the focus.
    await account.getByRole('link', { name: 'Sign in' }).waitFor()
    await press(page, page.getByRole('link', { name: 'API keys' }))
    await signInPage.waitFor()
    await second.getByText(/^You are signed out/).waitFor()
    t.same(await cookies(), [], 'the browser has forgotten it')
    const headers = { cookie: `${cookie!.name}=${cookie!.value}`, origin: baseUrl }
    t.equal((await fetch(`${baseUrl}/v1/webhooks`, { headers })).status, 401, 'and so has the service')
    await second.close()
  })

  t.test('a wrong token says so; a right one signs in without the address of its gateway', async t => {
    for (const [wrong, sentence] of [
      ['no such token', /neither a token nor a complete API key \(ptk_ and 43 characters\)/],
      ['Schlüssel', /neither a token nor a complete API key/],
      [`ptk_${'A'.repeat(43)}`, /There was never such an API key/],
      ['a.b.c', /The token is not valid, or it has expired/],
    ] as const) {
      await bySecret(wrong)
      await holdsText(t, page.getByRole('alert'), sentence, wrong)
    }
    await bySecret(await signIn(baseUrl, gateway))
    await holdsText(t, account, /Console Test[^]*Session ends in 1[45] min/, 'until the token ends')
  })

  t.test('another page of this machine, which gets the cookie along, does nothing', async t => {
    const token = await signIn(baseUrl, gateway)
    const ask = (path: string) => askJson(`${baseUrl}${path}`, { token })
    const { id } = (await ask('/v1/webhooks')).body[0]
    const before = (await ask(`/v1/webhooks/${id}/secret`)).body
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end('<title>A neighbour</title>')
    })
    const neighbour = await page.context().newPage()
    await neighbour.goto(`http://127.0.0.1:${await listen(t, server)}/`)
    const answered = neighbour.waitForResponse(/\/secret\/rotate$/)
    const outcome = await neighbour.evaluate(
      async ([base, webhook]) => {
        const send = (path: string, method: string, mode: RequestMode) =>
          fetch(base + path, { method, mode, credentials: 'include' }).then(
            answer => answer.type,
            () => 'refused',
          )
        return [
          await send(`/v1/webhooks/${webhook}/secret/rotate`, 'POST', 'no-cors'),
          await send('/v1/webhooks', 'GET', 'cors'),
          await send('/v1/session', 'DELETE', 'cors'),
        ]
      },
      [baseUrl, String(id)] as const,
    )
    t.same(outcome, ['opaque', 'refused', 'refused'])
    t.equal((await answered).status(), 403, 'without the cookie, which came along, it were 401')
    t.same((await ask(`/v1/webhooks/${id}/secret`)).body, before, 'the secret is as it was')
    await neighbour.close()
    await page.reload()
    await holdsText(t, account, /Console Test/, 'still signed in')
  })

  t.test('an API key alone signs in, as far as its scope goes, until it is revoked', async t => {
    await press(page, page.getByRole('link', { name: 'API keys' }))
    await type(page, field('Name'), 'order server')
    // The last letter and the order come before the next paint: the key has the whole name.
    await page.evaluate(async () => {
      const input = document.querySelector<HTMLInputElement>('main form input')!
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(input, 'order server 2')
      input.dispatchEvent(new Event('input', { bubbles: true }))
      // The page is drawn anew in a microtask, and painted later.
      for (let turn = 0; turn < 20; turn++) await Promise.resolve()
      input.form!.requestSubmit()
    })
    await page.locator('code.secret').waitFor()
    await page.locator('tbody tr', { hasText: 'order server 2' }).waitFor()
    const key = await page.locator('code.secret').innerText()
    await page.locator('tbody tr', { hasText: 'order server' }).waitFor()
    await checkPage(t, page, 'API keys')
    await signOut(page)
    await page.evaluate(() => localStorage.clear())
    await bySecret(key)
    await page.getByRole('alert').waitFor()
    await holdsText(t, account, /Console Test[^]*API key with webhooks:read/, 'what it may')
    await press(page, page.getByRole('link', { name: 'Endpoints' }))
    await page.locator('tbody tr', { hasText: receiver.url }).waitFor()
    const token = await signIn(baseUrl, gateway)
    const { body: keys } = await askJson(`${baseUrl}/v1/api-keys`, { token })
    const { id } = keys.find(({ hint }: { hint: string }) => key.startsWith(hint))
    await askJson(`${baseUrl}/v1/api-keys/${id}`, { method: 'DELETE', token })
    await press(page, page.getByRole('link', { name: 'Revenue' }))
    await page.getByText(/^You are signed out/).waitFor()
    await checkPage(t, page, 'signed out')
  })

  t.test('a link signs in once', async t => {
    const token = await signIn(baseUrl, gateway)
    const { body } = await askJson(`${baseUrl}/v1/session/links`, { method: 'POST', token })
    await page.goto(`${baseUrl}${body.path}`)
    await holdsText(t, account, /Console Test/, 'signed in')
    t.notOk(page.url().includes('link='), 'the address does not keep it')
    await page.goto('about:blank')
    await page.goto(`${baseUrl}${body.path}`)
    await holdsText(t, page.getByRole('alert'), /The link was used before/, 'refused, and not ignored')
    await page.getByText(/^You are still signed in as before/).waitFor()
    await holdsText(t, account, /Console Test/, 'who was signed in stays so')
    await checkPage(t, page, 'a link that was refused')
    await signOut(page)
    await page.goto('about:blank')
    await page.goto(`${baseUrl}${body.path}`)
    await holdsText(t, page.getByRole('alert'), /The link was used before/, 'used')
  })

  t.test('a stranger’s link signed an employee into the stranger’s gateway without a question', async t => {
    const stranger = await chain.openGateway('Console Test \u202e')
    await publish(stranger.created)
    const makeLink = async (of: typeof stranger) => {
      const token = await signIn(baseUrl, of)
      return (await askJson(`${baseUrl}/v1/session/links`, { method: 'POST', token })).body.path as string
    }
    await page.getByRole('alert').waitFor()
    await bySecret(await signIn(baseUrl, gateway))
    await holdsText(t, account, /Session ends/, 'signed in')
    const link = await makeLink(stranger)
    const question = page.getByRole('heading', { name: 'Replace your session?' })
    await page.goto('about:blank')
    await page.goto(`${baseUrl}${link}`)
    await question.waitFor()
    await holdsText(
      t,
      page.getByRole('article'),
      new RegExp(
        `Signed in now\\s*Console Test ${gateway.address}\\s*The link signs in\\s*Console Test \\\\u\\{202e\\} ${stranger.address}`,
      ),
      'who is signed in, and who would be, with name and address',
    )
    await checkPage(t, page, 'the question before a link')
    await press(page, button('Stay signed in'))
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await holdsText(t, account, new RegExp(gateway.address.slice(0, 4)), 'stays signed in')
    for (const path of [link, await makeLink(stranger)]) {
      await page.goto('about:blank')
      await page.goto(`${baseUrl}${path}`)
      await question.waitFor()
      await press(page, button('Sign in by the link'))
      await holdsText(
        t,
        account,
        new RegExp(stranger.address.slice(0, 4)),
        'agreed, also from itself to itself',
      )
      await holdsCount(t, question, 0, 'the question is answered')
    }
    await signOut(page)
  })

  t.test('sessions are listed in the settings, and end there', async t => {
    const token = await signIn(baseUrl, gateway)
    const open = async () => {
      const { headers } = await fetch(`${baseUrl}/v1/session`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, origin: baseUrl },
      })
      return headers.get('set-cookie')!.split(';')[0]!
    }
    const [first, second] = [await open(), await open()]
    await press(page, page.getByRole('link', { name: 'Settings' }))
    await bySecret(token)
    const counts = async (cookie: string) =>
      (await fetch(`${baseUrl}/v1/webhooks`, { headers: { cookie } })).status
    const rows = page.getByRole('region', { name: 'Sessions' }).locator('tbody tr')
    await rows.first().waitFor()
    const { body: listed } = await askJson(`${baseUrl}/v1/sessions`, { token })
    await holdsCount(t, rows, listed.length, 'each session')
    await holdsText(t, rows.filter({ hasText: 'this browser' }), /token/, 'this one, and how it began')
    await checkPage(t, page, 'settings')
    await press(
      page,
      rows
        .filter({ hasNotText: 'this browser' })
        .first()
        .getByRole('button', { name: /^End session/ }),
    )
    await holdsCount(t, rows, listed.length - 1, 'one less')
    t.same([await counts(first), await counts(second)], [200, 401], 'the newest has ended')
    await press(page, button('End all sessions'))
    await signInPage.waitFor()
    t.same([await counts(first), await cookies()], [401, []], 'all have ended, this one too')
  })
}
