// The first screen of the reference: three calls that work against this server, and where everything is.
import { escape, PLACES, renderFrame, write } from '../pages/frame.js'
import type { JSONObject } from './json-object.js'
import { tagAnchor, type Described } from './rest-page.js'

const CALLS = [
  ['/v1/health', 'This process answers, and which version.'],
  ['/v1/events/payments?limit=3', 'The newest payments.'],
  ['/v1/events/payments/stats', 'How many payments were stored, and of how much.'],
] as const

export function renderStartPage(document: JSONObject, environment: string, baseUrl: string): string {
  const { info, tags } = document as unknown as Described
  const calls = CALLS.map(
    ([path, what]) =>
      `<p>${what} <a href="${escape(path)}">Open it</a></p>\n<pre>curl -sw '\\n' '${escape(baseUrl + path)}'</pre>`,
  )
  return renderFrame({
    title: 'Payment tracking: reference',
    environment,
    here: 'start',
    body: `<h1>Payment tracking</h1>
<p>${write(info.description)}</p>
<h2>Three calls to begin with</h2>
${calls.join('\n')}
<h2>Where to go</h2>
<ul>
<li><a href="${PLACES.rest.href}">REST</a>: every route, its parameters and answers</li>
<li><a href="${PLACES.messages.href}">Messages</a>: sockets, streams, webhooks, and the subjects of the stream</li>
<li><a href="${PLACES.guides.href}">Guides</a>: payments on your page, webhooks, the console, and every other document</li>
</ul>
<h2>REST by topic</h2>
<ul>
${tags
  .map(({ name, description }) => {
    const anchor = escape(tagAnchor(name))
    return `<li id="${anchor}"><a href="${PLACES.rest.href}#${anchor}">${escape(name)}</a>: ${write(description)}</li>`
  })
  .join('\n')}
</ul>`,
  })
}
