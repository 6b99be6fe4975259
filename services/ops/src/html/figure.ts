// A figure says from when on somebody should act, and leads to where one does.
import { html, type Html } from './html.js'
import { sayAge } from './say-age.js'

/** The most that is well, and what it counts in: a time in `s` shows as people say it. */
export interface Threshold {
  most: number
  unit?: 's' | 'slots'
}

/**
 * A figure with its threshold, red when past it.
 * @param value null where it is not known, which is never called well
 * @param threshold null where no operator has to act
 */
export function figureCard({
  name,
  value,
  orMore = false,
  href,
  threshold,
}: {
  name: string
  value: number | null
  /** there can be more than were counted: past any threshold */
  orMore?: boolean
  href: string
  threshold: Threshold | null
}): Html {
  const isPast = threshold !== null && (orMore || (value !== null && value > threshold.most))
  const shown = value === null ? 'not known' : `${write(value, threshold?.unit)}${orMore ? ' or more' : ''}`
  return html`<a class="${isPast ? 'card past' : 'card'}" href="${href}"
    ><b>${shown}</b>${name}
    <span class="threshold"
      >${isPast ? 'act: ' : ''}${threshold === null ? '' : thresholdOf(threshold)}</span
    ></a
  >`
}

/** A value of a list, red when past its threshold. */
export const judged = (value: number, threshold: Threshold, text: string): Html =>
  html`<span class="${value > threshold.most ? 'past' : ''}">${text}</span>
    <span class="quiet">(${thresholdOf(threshold)})</span>`

const thresholdOf = ({ most, unit }: Threshold): string =>
  most === 0 ? 'red when there is one' : `red above ${write(most, unit)}`

const write = (value: number, unit: Threshold['unit']): string =>
  unit === 's' ? (value === 0 ? 'none' : sayAge(value)) : `${value}${unit === undefined ? '' : ` ${unit}`}`
