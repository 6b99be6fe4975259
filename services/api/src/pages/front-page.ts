// The base URL for people. Machines get the JSON refusal that every path without a resource has.
import { hash } from 'node:crypto'
import type { ApiServer } from '../api-server.js'
import { NotFoundError } from '../http/api-errors.js'
import { VERSION } from '../version.js'

export interface FrontPageParts {
  environment: string
  /** the address of the ops dashboard, if operators want it linked */
  opsUrl?: string | undefined
}

const STYLE = `
:root {
  color-scheme: light dark; font: 17px/1.5 system-ui, sans-serif;
  background: light-dark(#fff, #13171f); color: light-dark(#1f2430, #e3e7ee);
}
body { margin: 0 auto; max-width: 40rem; padding: 2rem 1rem; }
h1 { font-size: 1.6rem; }
li { margin: .8rem 0; }
a { color: light-dark(#0b57d0, #a8c7fa); font-weight: 600; }
`

/** The page loads nothing but its own style, which the policy names by its hash. */
const POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escape = (text: string): string => text.replace(/[&<>"]/g, character => ENTITIES[character]!)

interface Link {
  href: string
  title: string
  text: string
}

function renderPage({ environment, opsUrl }: FrontPageParts): string {
  const links: Link[] = [
    // services/console serves it; the load balancer routes the path.
    { href: '/console/', title: 'Console', text: 'see payments, subscriptions, revenue and webhooks' },
    { href: '/docs/', title: 'Reference', text: 'every route, with examples' },
    ...(opsUrl === undefined
      ? []
      : [{ href: opsUrl, title: 'Ops dashboard', text: 'queues, dead letters and failed deliveries' }]),
    { href: '/openapi.json', title: 'OpenAPI', text: 'the same for machines' },
    { href: '/v1/health', title: 'Health', text: 'whether this process answers' },
  ]
  const items = links.map(
    ({ href, title, text }) => `<li><a href="${escape(href)}">${title}</a>: ${text}</li>`,
  )
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Payment tracking</title>
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
      <h1>Payment tracking</h1>
      <p>Environment ${escape(environment)}, version ${VERSION}.</p>
      <ul>
        ${items.join('\n        ')}
      </ul>
    </main>
  </body>
</html>
`
}

/** Browsers name text/html; tools and libraries name JSON, anything, or nothing. */
const isPerson = (accept: string | undefined): boolean => /(^|,)\s*text\/html\b/i.test(accept ?? '')

/** Serves the base URL as a page to those who accept HTML by name. */
export function addFrontPage(app: ApiServer, parts: FrontPageParts): void {
  let page: string | undefined
  app.get('/', { schema: { hide: true }, config: { takesAnyQuery: true } }, (request, reply) => {
    void reply.header('vary', 'accept')
    if (!isPerson(request.headers.accept)) throw new NotFoundError('There is nothing at this path.')
    page ??= renderPage(parts)
    return reply
      .header('content-security-policy', POLICY)
      .type('text/html; charset=utf-8')
      .serializer(String)
      .send(page)
  })
}
