// A figure says from when on somebody should act, and leads to where one does.
import { html, type Html } from './html.js'

/** The most that is well, and what it counts in. */
export interface Threshold {
  most: number
  unit?: string
}

/**
 * A figure with its threshold, red when past it.
 * @param value null where it is not known, which is never called well
 */
export function figureCard({
  name,
  value,
  orMore = false,
  href,
  threshold: { most, unit = '' },
}: {
  name: string
  value: number | null
  /** there can be more than were counted: past any threshold */
  orMore?: boolean
  href: string
  threshold: Threshold
}): Html {
  const isPast = orMore || (value !== null && value > most)
  const shown = value === null ? 'not known' : `${write(value, unit)}${orMore ? ' or more' : ''}`
  return html`<a class="${isPast ? 'card past' : 'card'}" href="${href}"
    ><b>${shown}</b>${name}
    <span class="threshold">${isPast ? 'act: ' : ''}${thresholdOf({ most, unit })}</span></a
  >`
}

/** A value of a list, red when past its threshold. */
export const judged = (value: number, threshold: Threshold, text: string): Html =>
  html`<span class="${value > threshold.most ? 'past' : ''}">${text}</span>
    <span class="quiet">(${thresholdOf(threshold)})</span>`

const thresholdOf = ({ most, unit = '' }: Threshold): string =>
  most === 0 ? 'red above none' : `red above ${write(most, unit)}`

const write = (value: number, unit: string): string =>
  `${Math.round(value * 10) / 10}${unit === '' ? '' : ` ${unit}`}`
