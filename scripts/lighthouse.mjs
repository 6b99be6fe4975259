// `node scripts/lighthouse.mjs`: Lighthouse on pages of the console that run at BASE_URL, such as those of `npm start`. Lighthouse
// comes from the registry for this command alone. Run it on a quiet machine: whatever else the machine does takes points.
import { run, runCommand, withProgress } from './command.mjs'

const LIGHTHOUSE = 'lighthouse@13.5.0'
const LEAST = 95
const CATEGORIES = ['performance', 'accessibility']
const PAGES = ['/console/', '/console/payments']
const SIGNED_IN_PAGES = [
  ...PAGES,
  ...['customers', 'subscriptions', 'revenue', 'expected', 'endpoints', 'keys', 'changes', 'settings'].map(
    page => `/console/${page}`,
  ),
]
const SHOWN = ['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time']

const USAGE = `usage: [BASE_URL=http://127.0.0.1:3002] node scripts/lighthouse.mjs [LINK]
  Measures ${PAGES.join(' and ')} by Lighthouse three times.
  Each needs ${LEAST} points for ${CATEGORIES.join(' and ')}, in the middle of the three.
  LINK  signs in (npm run --silent sign-in -- --link), so the pages of a gateway are measured too`
const RUNS = 3

/** @returns the cookie of a session, for headers */
async function signIn(base, link) {
  const answer = await fetch(`${base}/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: base, 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ link: new URL(link).hash.replace('#link=', '') }),
  })
  if (!answer.ok) throw new Error((await answer.json()).message)
  return answer.headers.get('set-cookie').split(';')[0]
}

/** @returns Lighthouse's report of a slow phone as it imitates it */
async function measure(page, cookie) {
  const options = [`--only-categories=${CATEGORIES.join()}`, '--output=json', '--quiet']
  if (cookie) options.push(`--extra-headers=${JSON.stringify({ cookie })}`)
  const env = { CHROME_PATH: process.env.CHROME_PATH ?? '/usr/bin/chromium' }
  const flags = '--chrome-flags=--headless=new --no-sandbox'
  return JSON.parse(await run('npx', ['--yes', LIGHTHOUSE, page, ...options, flags], { env }))
}

await runCommand({ usage: USAGE, allowPositionals: true }, async (_, [link]) => {
  const base = (process.env.BASE_URL ?? 'http://127.0.0.1:3002').replace(/\/$/, '')
  const health = await fetch(`${base}/v1/health`).catch(() => undefined)
  if (!health?.ok)
    throw new Error(`nothing answers at ${base}: run npm start, or name the address by BASE_URL`)
  const cookie = link && (await signIn(base, link))
  let isGood = true
  for (const page of cookie ? SIGNED_IN_PAGES : PAGES) {
    const runs = []
    for (let n = 1; n <= RUNS; n++) {
      const { categories, audits } = await withProgress(`measuring ${base}${page}, ${n} of ${RUNS}`, () =>
        measure(base + page, cookie),
      )
      const points = CATEGORIES.map(name => Math.round(categories[name].score * 100))
      const times = SHOWN.map(name => `${audits[name].title} ${audits[name].displayValue}`)
      console.log(
        `  ${CATEGORIES.map((name, index) => `${name} ${points[index]}`).join(', ')}; ${times.join(', ')}`,
      )
      runs.push(Math.min(...points))
    }
    isGood &&= runs.toSorted((a, b) => a - b)[1] >= LEAST
  }
  if (!isGood) throw new Error(`a page has less than ${LEAST} points`)
})
