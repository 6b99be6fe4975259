/** An answer of a service. */
export interface JsonAnswer {
  status: number
  headers: Headers
  text: string
  /** undefined where the answer is no JSON */
  // Tests read untyped JSON on purpose.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

export interface Asked {
  method?: string
  token?: string | undefined
  /** sent as JSON */
  body?: unknown
  headers?: Record<string, string>
  timeoutMs?: number
}

/** One request. Redirects are not followed. */
export async function askJson(
  url: string,
  { method = 'GET', token, body, headers = {}, timeoutMs }: Asked = {},
): Promise<JsonAnswer> {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(timeoutMs !== undefined && { signal: AbortSignal.timeout(timeoutMs) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') && text !== ''
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  }
}
