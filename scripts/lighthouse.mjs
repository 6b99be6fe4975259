// `npm run lighthouse`: Lighthouse on pages of the console that run at BASE_URL, such as those of `npm start`. Lighthouse
// comes from the registry for this command alone. Run it on a quiet machine: whatever else the machine does takes points.
import { run, runCommand, withProgress } from './command.mjs'

const LIGHTHOUSE = 'lighthouse@13.5.0'
const LEAST = 95
const CATEGORIES = ['performance', 'accessibility']
const PAGES = ['/console/', '/console/payments']
const SHOWN = ['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time']

const USAGE = `usage: [BASE_URL=http://127.0.0.1:3002] npm run lighthouse
  Measures ${PAGES.join(' and ')} by Lighthouse.
  Each needs ${LEAST} points for ${CATEGORIES.join(' and ')}.`

/** @returns Lighthouse's report of a slow phone as it imitates it */
async function measure(page) {
  const options = [`--only-categories=${CATEGORIES.join()}`, '--output=json', '--quiet']
  const env = { CHROME_PATH: process.env.CHROME_PATH ?? '/usr/bin/chromium' }
  const flags = '--chrome-flags=--headless=new --no-sandbox'
  return JSON.parse(await run('npx', ['--yes', LIGHTHOUSE, page, ...options, flags], { env }))
}

await runCommand({ usage: USAGE }, async () => {
  const base = (process.env.BASE_URL ?? 'http://127.0.0.1:3002').replace(/\/$/, '')
  const health = await fetch(`${base}/v1/health`).catch(() => undefined)
  if (!health?.ok)
    throw new Error(`nothing answers at ${base}: run npm start, or name the address by BASE_URL`)
  let isGood = true
  for (const page of PAGES) {
    const { categories, audits } = await withProgress(`measuring ${base}${page}`, () => measure(base + page))
    const points = CATEGORIES.map(name => Math.round(categories[name].score * 100))
    const times = SHOWN.map(name => `${audits[name].title} ${audits[name].displayValue}`)
    console.log(
      `  ${CATEGORIES.map((name, index) => `${name} ${points[index]}`).join(', ')}; ${times.join(', ')}`,
    )
    isGood &&= points.every(each => each >= LEAST)
  }
  if (!isGood) throw new Error(`a page has less than ${LEAST} points`)
})
