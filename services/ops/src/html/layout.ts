import { environmentName, isProduction } from '@payment-tracking/runtime'
import { html, type Html } from './html.js'
import { sayMoment } from './moment.js'

export interface PageFrame {
  title: string
  environment: string
  /** the result of the last form; shown once */
  notice?: string | null
  /** why the page shows nothing else */
  failure?: string | null
  /** of a page that asks again by itself: how often, or that the reader has stopped it */
  refresh?: { everySeconds: number } | 'stopped'
  /** null on the sign-in page */
  csrf: string | null
}

export const csrfField = (csrf: string): Html => html`<input type="hidden" name="csrf" value="${csrf}" />`

const asOf = (refresh: NonNullable<PageFrame['refresh']>): Html =>
  html`<p class="quiet">
    As of
    ${sayMoment(new Date())}${
      refresh === 'stopped'
        ? html`. <a href="?">Ask again by itself</a>`
        : html`; asks again every ${refresh.everySeconds} s. <a href="?still">Stop</a>`
    }
  </p>`

export function layout(frame: PageFrame, body: Html): string {
  const menu =
    frame.csrf === null
      ? null
      : html`<a href="/">Overview</a> <a href="/pipeline">Pipeline</a> <a href="/queues">Queues</a>
          <a href="/dead-letters">Dead letters</a> <a href="/failed-deliveries">Failed deliveries</a>
          <a href="/failing-endpoints">Failing endpoints</a>
          <a href="/stream-gaps">Stream gaps</a> <a href="/work">Work</a>
          <form method="post" action="/sign-out">${csrfField(frame.csrf)}<button>Sign out</button></form>`
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>
          ${isProduction(frame.environment) ? '' : `[${environmentName(frame.environment)}] `}${frame.title} ·
          Payment tracking ops
        </title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body class="${isProduction(frame.environment) ? '' : 'other'}">
        <header>
          <strong>Payment tracking ops</strong>
          <span class="environment">${environmentName(frame.environment)}</span> ${menu}
        </header>
        ${frame.notice ? html`<p class="notice" role="status">${frame.notice}</p>` : null}
        <main>
          <h1>${frame.title}</h1>
          ${frame.refresh === undefined ? null : asOf(frame.refresh)}
          ${frame.failure ? html`<p class="failure" role="alert">${frame.failure}</p>` : null} ${body}
        </main>
      </body>
    </html> `.text
}
