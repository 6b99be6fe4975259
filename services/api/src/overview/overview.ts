import { readOverview, type TokenSum } from '@payment-tracking/store/reads'
import { Type } from 'typebox'
import { READ_REFUSALS } from '../http/error-answer-schema.js'
import { Integer, KnownSince, Moment, Nullable, PublicKey } from '../http/fields.js'
import type { AddRoutes } from '../route-parts.js'

const Delay = (what: string) =>
  Type.Object(
    {
      p50: Nullable(Integer('half of the payments took at most this long, in milliseconds', 180)),
      p95: Nullable(Integer('95 of 100 payments took at most this long, in milliseconds', 420)),
    },
    { title: 'Delay', description: what },
  )

const OverviewToken = Type.Object(
  {
    tokenMint: Nullable(PublicKey('the token; null for payments whose token is not known')),
    count: Integer('payments', 94),
    totalAmount: Integer("sum of their amounts in the token's smallest unit", 21587000000),
  },
  { title: 'OverviewToken' },
)

const toToken = ({ tokenMint, count, total }: TokenSum) => ({ tokenMint, count, totalAmount: total })

const Overview = Type.Object(
  {
    asOf: Moment('when the figures were read'),
    knownSince: KnownSince(),
    lastMinute: Type.Object(
      {
        count: Integer('payments whose time on the chain is within the last 60 seconds', 12),
        complete: Type.Boolean({ description: 'false when there are more: at most 10,000 are counted' }),
      },
      { title: 'LastMinute' },
    ),
    hours: Type.Array(
      Type.Object(
        {
          start: Moment('the beginning of the hour'),
          count: Integer('payments of the hour, by their time on the chain', 720),
        },
        { title: 'OverviewHour' },
      ),
      { description: 'The current hour and the 23 before it, oldest first.' },
    ),
    byToken: Type.Array(OverviewToken, {
      description:
        'Of these hours: the tokens of `TOKENS`, then others, each most payments first; at most 20 tokens.',
    }),
    before: Type.Object(
      {
        count: Integer('payments', 80),
        byToken: Type.Array(OverviewToken, { description: 'Most payments first, at most 1,000 tokens.' }),
      },
      {
        title: 'OverviewBefore',
        description: 'The same span a day earlier, up to the minute, to compare with.',
      },
    ),
    finalizedSlot: Nullable(
      Integer('the highest slot that is known to be final; null while nothing follows a chain', 452091000),
    ),
    delays: Type.Object(
      {
        measured: Integer(
          'how many payments were measured: the newest of the last 60 minutes, at most 200',
          200,
        ),
        toStored: Delay('from the time on the chain until the payment was stored'),
        toAnnounced: Delay('from the time on the chain until sockets and webhooks were told'),
      },
      { title: 'OverviewDelays' },
    ),
  },
  { title: 'Overview' },
)

/**
 * How things stand, for the first page that people look at. Each open page asks again every few seconds: the time of the
 * reading is a whole second, so that the statements of all who ask within it are equal, and those that wait are shared
 * (`shareEqual` in the store).
 */
export const overviewRoute: AddRoutes = (app, { nowMs, tokens }) => {
  app.get(
    '/v1/overview',
    {
      config: { reads: 'replicas' },
      schema: {
        operationId: 'getOverview',
        tags: ['payments'],
        summary: 'Get the last 24 hours',
        description:
          'Payments of the last minute and the last 24 hours, and how long they took. By hours in UTC. A batch of history that is read later counts in the hours of its own time, and can show as a long delay.',
        querystring: Type.Object({ gateway: Type.Optional(PublicKey('only its payments')) }),
        response: { 200: Overview, ...READ_REFUSALS },
      },
    },
    async request => {
      const now = Math.floor(nowMs() / 1_000) * 1_000
      const figures = await readOverview(request.store, {
        gateway: request.query.gateway,
        nowMs: now,
        listed: [...tokens.keys()],
      })
      const { lastMinute, hours, byToken, before, finalizedSlot, delays, knownSince } = figures
      return {
        asOf: new Date(now).toISOString(),
        knownSince: knownSince?.toISOString() ?? null,
        lastMinute: { count: lastMinute.count, complete: lastMinute.isComplete },
        hours: hours.map(({ start, count }) => ({ start: start.toISOString(), count })),
        byToken: byToken.map(toToken),
        before: { count: before.count, byToken: before.byToken.map(toToken) },
        finalizedSlot,
        delays,
      }
    },
  )
}
