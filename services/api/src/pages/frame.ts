// What all pages of the reference share: the bar with its places and the search, the style, and a policy that allows nothing else.
import { hash } from 'node:crypto'
import { HOUSE_TOKENS, isProduction } from '@payment-tracking/runtime'

export const REFERENCE = '/docs/'
export const PLACES = {
  start: { href: REFERENCE, title: 'Start' },
  rest: { href: '/docs/rest/', title: 'REST' },
  messages: { href: '/docs/messages/', title: 'Messages' },
  guides: { href: '/docs/guides/', title: 'Guides' },
} as const
export const SEARCH = '/docs/search'

const STYLE = `${HOUSE_TOKENS}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.55 var(--sans); }
header { position: sticky; top: 0; background: var(--surface); border-bottom: 1px solid var(--line); }
header nav { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-4); align-items: center; margin: 0 auto; max-width: 60rem; padding: var(--space-2) var(--space-4); }
header a { text-decoration: none; } header [aria-current] { color: var(--text); font-weight: 650; }
form { margin-left: auto; } input { width: 14rem; max-width: 60vw; padding: 0.35rem 0.6rem; font: inherit; color: inherit; background: var(--page); border: 1px solid var(--line); border-radius: var(--radius); }
main { margin: 0 auto; max-width: 60rem; padding: var(--space-5) var(--space-4); }
h1 { letter-spacing: -0.02em; } h2 { margin-top: 3rem; } [id] { scroll-margin-top: 4rem; } a { color: var(--accent); }
code, pre { font-family: var(--mono); } code { overflow-wrap: anywhere; } td code { overflow-wrap: break-word; } td, p, li { color: var(--quiet); } th { text-align: left; }
pre { overflow-x: auto; padding: var(--space-3); border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); color: var(--text); }
@media (max-width: 40rem) { pre { white-space: pre-wrap; overflow-wrap: anywhere; } }
summary { padding: var(--space-3); cursor: pointer; }
details, article { margin: var(--space-3) 0; border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); }
article { padding: 0 var(--space-3) var(--space-3); } article h3 { overflow-wrap: anywhere; } article details { border: 0; margin: 0; }
details div, .table { overflow-x: auto; padding: 0 var(--space-3) var(--space-3); }
table { border-collapse: collapse; width: 100%; } td, th { padding: 0.3rem 0.8rem 0.3rem 0; vertical-align: top; border-top: 1px solid var(--line); }
a:focus-visible, input:focus-visible, summary:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`
/** The pages load nothing but an icon. */
export const REFERENCE_POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
export const escape = (text: string): string => text.replace(/[&<>"]/g, character => ENTITIES[character]!)

/** The little of Markdown that descriptions use, as the inside of a paragraph. */
export const write = (text: string): string =>
  escape(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll('\n\n', '</p><p>')

export interface Page {
  title: string
  environment: string
  /** the HTML below the bar */
  body: string
  here?: keyof typeof PLACES
  /** what was searched for */
  query?: string
}

export function renderFrame({ title, environment, body, here, query = '' }: Page): string {
  const isOther = !isProduction(environment)
  const places = Object.entries(PLACES).map(
    ([name, place]) =>
      `<a href="${place.href}"${name === here ? ' aria-current="page"' : ''}>${place.title}</a>`,
  )
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${isOther ? `[${escape(environment)}] ` : ''}${escape(title)}</title>
    <link rel="icon" type="image/svg+xml" href="/console/${isOther ? 'icon-other' : 'icon'}.svg" />
    <style>${STYLE}</style>
  </head>
  <body>
    <header>
      <nav>
        ${places.join('\n        ')}
        <a href="/console/">Console</a>
        <form action="${SEARCH}" role="search"><input type="search" name="q" value="${escape(query)}" placeholder="Search all" aria-label="Search the reference" /></form>
      </nav>
    </header>
    <main>
${body}
    </main>
  </body>
</html>
`
}
