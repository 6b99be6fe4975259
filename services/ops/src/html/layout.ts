import { html, type Html } from './html.js'

export interface PageFrame {
  title: string
  environment: string
  /** the result of the last form; shown once */
  notice?: string | null
  /** null on the sign-in page */
  csrf: string | null
}

export const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 78rem; padding: 1rem; }
header { display: flex; gap: 1.5rem; align-items: baseline; border-bottom: 1px solid #8884; margin-bottom: 1rem; }
header form { margin-left: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #8883; vertical-align: top; }
td.text { overflow-wrap: anywhere; }
pre { background: #8881; padding: 1rem; overflow-wrap: anywhere; white-space: pre-wrap; }
.notice { background: #2a72; padding: .5rem 1rem; border-left: 4px solid #2a7; }
.quiet { opacity: .65; }
.cards { display: flex; flex-wrap: wrap; gap: 1rem; }
.card { border: 1px solid #8884; border-radius: .5rem; padding: .75rem 1.25rem; min-width: 11rem; }
.card b { display: block; font-size: 1.6rem; }
`

export const csrfField = (csrf: string): Html => html`<input type="hidden" name="csrf" value="${csrf}" />`

export function layout(frame: PageFrame, body: Html): string {
  const menu =
    frame.csrf === null
      ? null
      : html`<a href="/">Overview</a> <a href="/queues">Queues</a> <a href="/dead-letters">Dead letters</a>
          <a href="/failed-deliveries">Failed deliveries</a>
          <form method="post" action="/sign-out">${csrfField(frame.csrf)}<button>Sign out</button></form>`
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${frame.title} · ${frame.environment}</title>
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body>
        <header><strong>Payment tracking · ${frame.environment}</strong> ${menu}</header>
        ${frame.notice ? html`<p class="notice" role="status">${frame.notice}</p>` : null}
        <h1>${frame.title}</h1>
        ${body}
      </body>
    </html> `.text
}
