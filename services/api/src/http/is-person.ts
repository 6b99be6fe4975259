/** Browsers name text/html; tools and libraries name JSON, anything, or nothing. */
export const isPerson = (accept: string | undefined): boolean => /(^|,)\s*text\/html\b/i.test(accept ?? '')
