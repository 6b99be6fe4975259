// `npm run lighthouse`: Lighthouse on pages of the console that run at BASE_URL, such as those of `npm start`. Fails when a
// page has less than 95 points for performance or accessibility. Lighthouse comes from the registry for this command
// alone. Run it on a quiet machine: whatever else the machine does takes points.
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run, withProgress } from './set-up/run.mjs'

const LIGHTHOUSE = 'lighthouse@13.5.0'
const LEAST = 95
const CATEGORIES = ['performance', 'accessibility']
const PAGES = ['/console/', '/console/payments']
const FLAGS = '--headless=new --no-sandbox'

const USAGE = `usage: [BASE_URL=http://127.0.0.1:3002] npm run lighthouse
  Measures ${PAGES.join(' and ')} by Lighthouse.
  Each needs ${LEAST} points for ${CATEGORIES.join(' and ')}.`

if (process.argv.includes('--help')) {
  console.log(USAGE)
  process.exit(0)
}
const base = (process.env.BASE_URL ?? 'http://127.0.0.1:3002').replace(/\/$/, '')
const env = { CHROME_PATH: process.env.CHROME_PATH ?? '/usr/bin/chromium' }

/** @returns the points of each category, from 0 to 100, of a slow phone as Lighthouse imitates it */
async function measure(page) {
  const file = join(tmpdir(), `payment-tracking-lighthouse-${process.pid}.json`)
  const options = [`--only-categories=${CATEGORIES.join()}`, '--output=json', `--output-path=${file}`]
  try {
    await run('npx', ['--yes', LIGHTHOUSE, base + page, ...options, '--quiet', `--chrome-flags=${FLAGS}`], {
      env,
    })
    const { categories, audits } = JSON.parse(readFileSync(file, 'utf8'))
    const shown = ['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time']
    return {
      points: CATEGORIES.map(name => Math.round(categories[name].score * 100)),
      times: shown.map(name => `${audits[name].title} ${audits[name].displayValue}`).join(', '),
    }
  } finally {
    rmSync(file, { force: true })
  }
}

const isThere = await fetch(`${base}/v1/health`).then(
  ({ ok }) => ok,
  () => false,
)
if (!isThere) {
  console.error(`nothing answers at ${base}: run npm start, or name the address by BASE_URL`)
  process.exit(1)
}
for (const page of PAGES) {
  const { points, times } = await withProgress(
    console.log,
    `measuring ${base}${page}`,
    () => '',
    () => measure(page),
  )
  console.log(`  ${CATEGORIES.map((name, index) => `${name} ${points[index]}`).join(', ')}; ${times}`)
  if (points.some(each => each < LEAST)) process.exitCode = 1
}
if (process.exitCode) console.error(`a page has less than ${LEAST} points`)
