// What this browser keeps of a person's choices. A browser can refuse to keep anything for a site, and throws at each
// access then: the choices last as long as the page.
const ofThisPage = new Map<string, string | null>()

export function readKept(key: string): string | null {
  const chosen = ofThisPage.get(key)
  if (chosen !== undefined) return chosen
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** @param value null forgets */
export function keep(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
    ofThisPage.delete(key)
  } catch {
    ofThisPage.set(key, value)
  }
}
