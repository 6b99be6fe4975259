// What a person sees at a path where nothing is.
import type { FastifyReply } from 'fastify'
import { escape, PLACES, REFERENCE_POLICY, renderFrame } from './frame.js'

const renderNoSuchPage = (path: string, environment: string): string =>
  renderFrame({
    title: 'Payment tracking: no such page',
    environment,
    body: `<h1>There is nothing here</h1>
<p><code>${escape(path)}</code> is no page and no route of this server. You may look for:</p>
<ul>
<li><a href="/console/">the console</a>: payments, subscriptions, endpoints</li>
<li><a href="${PLACES.rest.href}">REST</a>, <a href="${PLACES.messages.href}">messages</a> and <a href="${PLACES.guides.href}">guides</a></li>
<li><a href="/">the first page</a></li>
</ul>`,
  })

/** Sends the page. */
export const showNoSuchPage =
  (environment: string) =>
  (path: string, reply: FastifyReply): void =>
    void reply
      .header('content-security-policy', REFERENCE_POLICY)
      .type('text/html; charset=utf-8')
      .serializer(String)
      .send(renderNoSuchPage(path, environment))
