// How the endpoint answered over time: how many requests it accepted, and how fast.
import type { Schemas } from '@payment-tracking/client'
import { useMemo } from 'react'
import { ask } from '../api/request.js'
import type { ChartData } from '../charts/chart-series.js'
import { nameDay, nameHour } from '../charts/name-time.js'
import { TimeChart } from '../charts/time-chart.js'
import { useChoice } from '../filters/use-filter.js'
import { useGatewayQuery } from '../session/use-gateway.js'
import { Before } from '../show/before.js'
import { formatDuration } from '../show/format-time.js'
import { Loaded } from '../show/states.js'
import { acceptedWords, type Endpoint } from './endpoint-words.js'

type Answers = Schemas['EndpointAnswers']

const REFRESH_MS = 30_000
const SPANS = ['day', 'month'] as const
type Span = (typeof SPANS)[number]
const TITLES: Record<Span, string> = { day: '24 hours', month: '30 days' }

export function EndpointAnswers({ endpoint }: { endpoint: Endpoint }) {
  const id = Number(endpoint.id)
  const [span, setSpan] = useChoice('span', SPANS, 'day')
  const query = useGatewayQuery(
    ['endpoints', id, 'answers', span],
    ({ api }) =>
      ask(
        api.GET('/v1/webhooks/{id}/answers', {
          params: { path: { id }, query: { by: span === 'day' ? 'hour' : 'day' } },
        }),
      ),
    REFRESH_MS,
  )
  return (
    <section className="panel" aria-labelledby="answers">
      <div className="row">
        <h2 id="answers">Success and speed</h2>
        <div className="choice right" role="group" aria-label="Span of time">
          {SPANS.map(each => (
            <button key={each} type="button" aria-pressed={each === span} onClick={() => setSpan(each)}>
              {TITLES[each]}
            </button>
          ))}
        </div>
      </div>
      <Loaded query={query} lines={22}>
        {answers => <Drawn answers={answers} span={span} endpoint={endpoint} />}
      </Loaded>
    </section>
  )
}

/** Half of the answer is the span before. */
function Drawn({ answers, span, endpoint }: { answers: readonly Answers[]; span: Span; endpoint: Endpoint }) {
  const half = answers.length / 2
  // By its text: the answer is a new object at each refresh, and the drawing would begin anew.
  const key = JSON.stringify(answers.slice(half), (_name, value: unknown) =>
    typeof value === 'bigint' ? Number(value) : value,
  )
  const [requests, times] = useMemo(() => chartsOf(JSON.parse(key) as Answers[], span), [key, span])
  const before = rateOf(answers.slice(0, half))
  // Of the day the record says it: one page says one figure, though its parts are read at different times.
  const now =
    span === 'day'
      ? acceptedWords(Number(endpoint.acceptedRequests), Number(endpoint.requests))
      : rateOf(answers.slice(half))
  const unit = span === 'day' ? 'an hour' : 'a day, UTC'
  return (
    <>
      <p>
        Accepted: <strong>{now}</strong> <Before of={TITLES[span]} value={before} />
      </p>
      <div className="halves">
        <TimeChart
          title="Requests"
          unit={`requests ${unit}`}
          data={requests}
          nothing={`No request in ${TITLES[span]}`}
        />
        <TimeChart
          title="Time to accept"
          unit="milliseconds"
          data={times}
          nothing={`Nothing was accepted in ${TITLES[span]}`}
        />
      </div>
    </>
  )
}

function rateOf(answers: readonly Answers[]): string {
  const sum = (pick: (each: Answers) => number | bigint) =>
    answers.reduce((all, each) => all + Number(pick(each)), 0)
  return acceptedWords(
    sum(each => each.accepted),
    sum(each => each.requests),
  )
}

function chartsOf(answers: readonly Answers[], span: Span): [ChartData, ChartData] {
  const common = {
    times: answers.map(({ start }) => Date.parse(start) / 1_000),
    nameOf: span === 'day' ? nameHour : nameDay,
    isByDay: span === 'month',
    isWhole: true,
    gap: 'nothing accepted',
  }
  const counts = (pick: (each: Answers) => number) => ({
    values: answers.map(pick),
    show: (index: number) => pick(answers[index]!).toLocaleString('en-US'),
  })
  const line = (pick: (each: Answers) => number | bigint | null) => ({
    kind: 'line' as const,
    values: answers.map(each => (pick(each) === null ? null : Number(pick(each)))),
    show: (index: number) => {
      const ms = pick(answers[index]!)
      return ms === null ? 'none' : formatDuration(Number(ms))
    },
  })
  return [
    {
      ...common,
      series: [
        { label: 'accepted', tone: 'good', kind: 'bars', ...counts(each => Number(each.accepted)) },
        {
          label: 'failed',
          tone: 'bad',
          kind: 'bars',
          ...counts(each => Number(each.requests) - Number(each.accepted)),
          top: answers.map(({ requests }) => Number(requests)),
        },
      ],
    },
    {
      ...common,
      series: [
        { label: 'p50', tone: '1', ...line(each => each.p50Ms) },
        { label: 'p95', tone: '2', ...line(each => each.p95Ms) },
      ],
    },
  ]
}
