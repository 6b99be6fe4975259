import { html, type Html } from '../html/html.js'
import type { LagSample } from './lag-samples.js'

const WIDTH = 720
const HEIGHT = 90

/** The samples as bars, with the newest and the highest as text. */
export function lagChart(samples: readonly LagSample[]): Html {
  const newest = samples.at(-1)
  if (!newest) {
    return html`<p class="quiet">
      Not known: there is no stream, no consumer of this name yet, or NATS does not answer.
    </p>`
  }
  const most = Math.max(1, ...samples.map(({ unread }) => unread))
  const step = WIDTH / samples.length
  const since = samples[0]!.at.toISOString()
  const bars = samples.map(({ at, unread }, index) => {
    const height = Math.max(1, (unread / most) * HEIGHT)
    return html`<rect
      x="${(index * step).toFixed(1)}"
      y="${(HEIGHT - height).toFixed(1)}"
      width="${Math.max(1, step - 1).toFixed(1)}"
      height="${height.toFixed(1)}"
    >
      <title>${at.toISOString()}: ${unread}</title>
    </rect>`
  })
  return html`<p>
      <b>${newest.unread}</b> unread now, ${newest.inFlight} of them in work; at most ${most} since ${since}.
    </p>
    <svg
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
      preserveAspectRatio="none"
      role="img"
      aria-label="unread messages over time"
    >
      ${bars}
    </svg>`
}
