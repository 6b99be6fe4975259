// The base URL: a page for people, and JSON for probes and every other client that does not ask for HTML.
import { hash } from 'node:crypto'
import { environmentName, HOUSE_TOKENS, isProduction } from '@payment-tracking/runtime'
import type { ApiServer } from '../api-server.js'
import type { ApiConfig } from '../config.js'
import { inEnvelope } from '../http/envelope.js'
import { isPerson } from '../http/is-person.js'
import { SERVICE, VERSION } from '../version.js'

export interface FrontPageParts {
  config: Pick<ApiConfig, 'ENVIRONMENT' | 'OPS_URL'>
}

const STYLE = `${HOUSE_TOKENS}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--text); font: 1rem/1.55 var(--sans);
  border-top: 4px solid var(--accent);
}
body.other { border-top-color: var(--wait); }
main { margin: 0 auto; max-width: 46rem; padding: var(--space-7) var(--space-4); }
h1 { margin: 0 0 var(--space-2); font-size: 1.9rem; letter-spacing: -0.02em; }
p { margin: 0 0 var(--space-5); color: var(--quiet); }
.environment {
  display: inline-block; padding: 0.1rem 0.6rem; border-radius: 1rem; font-size: var(--text-small);
  color: var(--accent); background: var(--accent-soft);
}
.other .environment { color: var(--wait); background: var(--wait-soft); font-weight: 700; }
ul { display: grid; gap: var(--space-3); grid-template-columns: repeat(auto-fit, minmax(min(19rem, 100%), 1fr)); margin: 0; padding: 0; }
li { list-style: none; }
li a {
  display: block; height: 100%; padding: var(--space-4); border: 1px solid var(--line); border-radius: var(--radius);
  background: var(--surface); color: var(--quiet); text-decoration: none;
}
li a:hover { border-color: var(--accent); }
a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
li strong { display: block; color: var(--accent); font-size: var(--text-large); }
`

/** The page loads nothing but its own style, which the policy names by its hash. */
const POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escape = (text: string): string => text.replace(/[&<>"]/g, character => ENTITIES[character]!)

interface Link {
  href: string
  title: string
  text: string
}

function renderPage({ config: { ENVIRONMENT: environment, OPS_URL: opsUrl } }: FrontPageParts): string {
  const links: Link[] = [
    // services/console serves it; the load balancer routes the path.
    {
      href: '/console/',
      title: 'Console',
      text: 'How things stand: payments, subscriptions, revenue, webhooks.',
    },
    { href: '/docs/', title: 'Reference', text: 'Every route, with examples to try.' },
    ...(opsUrl === undefined
      ? []
      : [{ href: opsUrl, title: 'Ops dashboard', text: 'Queues, dead letters and failed deliveries.' }]),
    { href: '/openapi.json', title: 'OpenAPI', text: 'The reference for machines.' },
    {
      href: '/docs/messages/',
      title: 'Messages',
      text: 'Sockets, streams, webhooks and subjects; AsyncAPI for machines.',
    },
    { href: '/v1/health', title: 'Health', text: 'Whether this process answers.' },
  ]
  const items = links.map(
    ({ href, title, text }) =>
      `<li><a href="${escape(href)}"><strong>${title}</strong>${escape(text)}</a></li>`,
  )
  const isOther = !isProduction(environment)
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${isOther ? `[${escape(environmentName(environment))}] ` : ''}Payment tracking</title>
    <link rel="icon" type="image/svg+xml" href="/console/${isOther ? 'icon-other.svg' : 'icon.svg'}" />
    <style>${STYLE}</style>
  </head>
  <body${isOther ? ' class="other"' : ''}>
    <main>
      <h1>Payment tracking</h1>
      <p><span class="environment">Environment ${escape(environmentName(environment))}</span> version ${VERSION}</p>
      <ul>
        ${items.join('\n        ')}
      </ul>
    </main>
  </body>
</html>
`
}

const LINKS = {
  reference: '/docs/',
  openapi: '/openapi.json',
  asyncapi: '/asyncapi.json',
  documents: '/llms.txt',
  health: '/v1/health',
}

/** Serves the base URL as a page to those who accept HTML by name, else as JSON. */
export function addFrontPage(app: ApiServer, parts: FrontPageParts): void {
  let page: string | undefined
  app.get('/', { schema: { hide: true }, config: { takesAnyQuery: true } }, (request, reply) => {
    void reply.header('vary', 'accept')
    if (!isPerson(request.headers.accept))
      return reply
        .type('application/json; charset=utf-8')
        .serializer(JSON.stringify)
        .send(inEnvelope({ service: SERVICE, version: VERSION, ...LINKS }))
    page ??= renderPage(parts)
    return reply
      .header('content-security-policy', POLICY)
      .type('text/html; charset=utf-8')
      .serializer(String)
      .send(page)
  })
}
