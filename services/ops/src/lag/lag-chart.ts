import { html, type Html } from '../html/html.js'
import { sayAge, secondsSince } from '../html/say-age.js'
import type { LagSample } from './lag-samples.js'

const WIDTH = 720
const HEIGHT = 90

const clock = (at: Date): string => `${at.toISOString().slice(11, 19)} UTC`

/** The samples as bars over an axis with both ends, with the newest and the highest as text. */
export function lagChart(samples: readonly LagSample[]): Html {
  const newest = samples.at(-1)
  if (!newest) {
    return html`<p class="quiet">
      Not known: there is no stream, no consumer of this name yet, or NATS does not answer.
    </p>`
  }
  const highest = Math.max(...samples.map(({ unread }) => unread))
  // The top of the axis: a chart of zeros has one too.
  const most = Math.max(1, highest)
  const step = WIDTH / samples.length
  const [since, until] = [clock(samples[0]!.at), clock(newest.at)]
  const bars = samples.map(({ at, unread }, index) => {
    const height = Math.max(1, (unread / most) * HEIGHT)
    return html`<rect
      x="${(index * step).toFixed(1)}"
      y="${(HEIGHT - height).toFixed(1)}"
      width="${Math.max(1, step - 1).toFixed(1)}"
      height="${height.toFixed(1)}"
    >
      <title>${clock(at)}: ${unread}</title>
    </rect>`
  })
  return html`<p>
      <b>${newest.unread}</b> unread ${sayAge(secondsSince(newest.at))} ago, ${newest.inFlight} of them in
      work; at most ${highest} in the last ${sayAge(secondsSince(samples[0]!.at))}.
    </p>
    <figure class="chart">
      <div class="axis"><span>${most} unread ${most === 1 ? 'message' : 'messages'}</span></div>
      <svg
        viewBox="0 0 ${WIDTH} ${HEIGHT}"
        preserveAspectRatio="none"
        role="img"
        aria-label="unread messages from ${since} to ${until}, at most ${highest}"
      >
        ${bars}
      </svg>
      <div class="axis"><span>0 at ${since}</span><span>${until}</span></div>
    </figure>`
}
