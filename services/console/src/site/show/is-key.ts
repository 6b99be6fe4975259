const MOST_BYTES = 64

/** Whether a text can be a tracking ID; a longer one is asked for nothing. */
export const canBeTrackingId = (text: string): boolean =>
  text !== '' && new TextEncoder().encode(text).length <= MOST_BYTES

const PUBLIC_KEY = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

/** Whether a text has the shape of an address, which may have been pasted with blanks around it. */
export const isKey = (text: string): boolean => PUBLIC_KEY.test(text.trim())
