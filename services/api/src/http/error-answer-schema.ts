import { Type } from 'typebox'

export const ErrorAnswerSchema = Type.Object(
  {
    success: Type.Literal(false),
    error: Type.String({ description: 'one sentence for people' }),
    code: Type.String({ description: 'stable; listed in docs/errors.md', examples: ['INVALID_PARAMETER'] }),
    timestamp: Type.Integer({ description: 'server time in milliseconds since the Unix epoch' }),
    requestId: Type.String({ description: 'the same as in the `x-request-id` header' }),
  },
  { title: 'ErrorAnswer', description: 'The one shape of every answer that is no success.' },
)

/** The answer to a request for an event that lists do not hold any more. */
const ArchivedAnswer = Type.Object(
  {
    ...ErrorAnswerSchema.properties,
    archivedMonth: Type.String({
      description: 'the month of the event on the chain, in UTC',
      examples: ['2026-03'],
    }),
  },
  { title: 'ArchivedAnswer' },
)

/** The answer to a gateway that expects something else of what it has used. */
export const ExpectationExistsAnswer = Type.Object(
  {
    ...ErrorAnswerSchema.properties,
    id: Type.Optional(Type.String({ description: 'of EXPECTATION_EXISTS: the expectation that is there' })),
  },
  { title: 'ExpectationExistsAnswer' },
)

/** The answer to a sign-in link where somebody is signed in. */
export const SessionExistsAnswer = Type.Object(
  {
    ...ErrorAnswerSchema.properties,
    gateway: Type.String({ description: 'the gateway that the link signs in' }),
  },
  { title: 'SessionExistsAnswer' },
)

export const refusal = (description: string) => ({ ...ErrorAnswerSchema, description })

/** The possible refusals of a read, for a route's `response`. */
export const READ_REFUSALS = {
  400: refusal('A parameter is wrong; the sentence names it.'),
  429: refusal('Too many requests; `retry-after` says when to come back.'),
  500: refusal('Something went wrong on our side.'),
  503: refusal(
    'The database cannot answer now, or the question is too broad: the code names the filter to add.',
  ),
}
/** Of routes that are asked for an event by signature or cursor. */
export const ARCHIVED_REFUSAL = {
  410: {
    ...ArchivedAnswer,
    description: 'The event was archived: operators have it, and `GET /v1/health` tells where lists begin.',
  },
}
export const NOT_FOUND_REFUSAL = { 404: refusal('There is no such thing.') }
