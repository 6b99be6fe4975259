// The building blocks of answers and parameters.
import { Type, type TSchema } from 'typebox'

/** An integer of an answer, exact up to 2⁶⁴−1 and beyond: a JSON integer literal, never rounded. */
export const Integer = (description: string, example?: number) =>
  Type.Unsafe<number | bigint>({
    type: 'integer',
    description,
    ...(example === undefined ? {} : { examples: [example] }),
  })

export const PublicKey = (description: string) =>
  Type.String({
    format: 'public-key',
    description,
    examples: ['7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz'],
  })

export const Signature = (description: string) =>
  Type.String({
    format: 'signature',
    description,
    examples: ['52d9nGdped4fFutXhQwrcp1n37ABy8BkWNmgJXWegsAgCYCbUKLkRTqRy7aXPCpvaLBEYi669qVEF6KoCEmgXmjr'],
  })

export const TrackingId = (description: string) =>
  Type.String({ format: 'tracking-id', description, examples: ['order-4711'] })

export const Moment = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-11-14T23:00:00.000Z'] })

/** Since when figures hold: what was before is not known to be nothing. */
export const KnownSince = () =>
  Nullable(
    Moment(
      'the time on the chain of the oldest event that the service knows: before it, a 0 says nothing; null without events',
    ),
  )

export const Text = (description: string, example?: string) =>
  Type.String({ description, ...(example === undefined ? {} : { examples: [example] }) })

/** The value or null, as two alternatives, so that every generator understands the schema. */
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** JSON text that is passed on unchanged. */
export const RawObject = (description: string, example: Record<string, unknown>) =>
  Type.Unsafe<string>({
    type: 'object',
    additionalProperties: true,
    rawJson: true,
    description,
    examples: [example],
  })

/** What Postgres writes: JSON text that is passed on unchanged, with the schema of its value. */
export const Written = (schema: TSchema) => Type.Unsafe<string | Buffer>({ ...schema, rawJson: true })

export const Limit = (maximum = 1000) =>
  Type.Integer({
    minimum: 1,
    maximum,
    default: 100,
    description: `the most records to answer, 1 to ${maximum}`,
  })

/** A limit of a list where the incumbent brings numbers into bounds: refusing them would break its clients. */
export const ClampedLimit = (maximum = 1000) =>
  Type.Integer({
    minimum: 1,
    maximum,
    default: 100,
    clamped: true,
    description: `the most records to answer; more than ${maximum} counts as ${maximum}, less than 1 as the default`,
  })

export const Offset = () =>
  Type.Integer({
    minimum: 0,
    default: 0,
    description: 'how many records to skip; `cursor` is faster for deep pages',
  })

export const IncludeRetracted = () =>
  Type.Optional(
    Type.Boolean({
      description:
        'true also lists what the finalized chain does not hold; each record then says which it is',
    }),
  )

export const Cursor = () =>
  Type.Optional(
    Type.String({
      format: 'cursor',
      description:
        'where the page begins: `x-next-cursor` of the page before; the cursor carries the filters',
    }),
  )
