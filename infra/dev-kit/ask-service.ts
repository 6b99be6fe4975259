// How the MCP server asks the service: by its typed client, which sends GET alone here.
import { createApiClient } from '@payment-tracking/client'

export const BASE_URL = process.env.PAYMENT_TRACKING_URL ?? 'http://127.0.0.1:3002'
export const TOKEN = process.env.PAYMENT_TRACKING_API_KEY

export const client = createApiClient(BASE_URL, TOKEN === undefined ? {} : { token: TOKEN })

/** The arguments of a tool; one that was not given is missing. */
export type Arguments = Readonly<Record<string, string>>
interface Answered {
  data?: unknown
  error?: unknown
  response: Response
}

export class Refused extends Error {
  constructor(
    message: string,
    readonly status?: number,
  ) {
    super(message)
  }
}

/**
 * The data of an answer.
 * @throws Refused with the sentence of the service
 */
export async function read<T extends Answered>(asking: Promise<T>): Promise<NonNullable<T['data']>> {
  const { data, error, response } = await asking
  if (data !== undefined) return data as NonNullable<T['data']>
  const { error: sentence = response.statusText, code = '' } = (error ?? {}) as {
    error?: string
    code?: string
  }
  const hint = response.status === 401 ? ' Set PAYMENT_TRACKING_API_KEY to an API key of the gateway.' : ''
  throw new Refused(`${response.status} ${code}: ${sentence}${hint}`, response.status)
}

export const given = (values: Arguments, ...names: string[]) =>
  Object.fromEntries(names.filter(name => values[name]).map(name => [name, values[name]]))
