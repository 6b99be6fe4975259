import { html, plain, type Html } from './html.js'

const ENDS = 4

/** An address as the console shows it, with the whole of it where one points. */
export const shortKey = (key: string): Html =>
  html`<span title="${plain(key)}"
    >${plain(key.length <= 3 * ENDS ? key : `${key.slice(0, ENDS)}…${key.slice(-ENDS)}`)}</span
  >`
