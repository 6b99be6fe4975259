const LONGEST_MS = 8_000

/**
 * One request over REST, with the whole answer.
 * @throws Error when it was cut off, or took too long. A signal of `fetch` does not suffice for that: in Node 20 it may be
 *   collected as garbage before the body has come, and a body that never ends is then waited for for ever.
 */
export async function fetchText(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ response: Response; text: string }> {
  const abort = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`${url} took longer than ${LONGEST_MS} ms`))
      abort.abort()
    }, LONGEST_MS)
  })
  const answer = async () => {
    const response = await fetch(url, { headers, signal: abort.signal })
    return { response, text: await response.text() }
  }
  const answering = answer()
  answering.catch(() => {})
  try {
    return await Promise.race([answering, late])
  } finally {
    clearTimeout(timer)
  }
}
