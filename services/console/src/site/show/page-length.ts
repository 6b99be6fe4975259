import { isPhone } from './is-phone.js'

/** How many rows a list begins with: fewer on a phone, where each is a card. */
export const pageLength = (usual: number): number => (isPhone() ? Math.min(usual, 25) : usual)
