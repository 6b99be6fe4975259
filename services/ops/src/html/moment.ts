import { html, type Html } from './html.js'

/** `2026-11-30 23:04:47 UTC`, on one line; to the millisecond for who points at it. */
export const moment = (at: Date): Html =>
  html`<time datetime="${at.toISOString()}" title="${at.toISOString()}">${sayMoment(at)}</time>`

export const sayMoment = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`
