import { errorAnswer } from '@payment-tracking/runtime'
import type { FastifyReply } from 'fastify'
import { html } from './html/html.js'
import { layout } from './html/layout.js'

const TITLES: Readonly<Record<number, string>> = {
  401: 'Not signed in',
  403: 'Not allowed',
  404: 'Not found',
  503: 'Not available',
}

/**
 * Answers a refusal: as a page to a browser that opens a page, in the common shape of all HTTP services to everybody
 * else.
 */
export function refuse(reply: FastifyReply, status: number, code: string, sentence: string): FastifyReply {
  void reply.code(status)
  const { request } = reply
  if (request.method !== 'GET' || !/\btext\/html\b/.test(request.headers.accept ?? '')) {
    return reply
      .type('application/json; charset=utf-8')
      .send(errorAnswer({ status, code, sentence }, request.id))
  }
  const title = TITLES[status] ?? 'This did not work'
  const body = html`<p class="quiet">${code}, request ${request.id}</p>
    <p><a href="/">Overview</a></p>`
  return reply
    .type('text/html; charset=utf-8')
    .send(layout({ title, environment: 'ops', csrf: null, failure: sentence }, body))
}
