import { Type, type TSchema } from 'typebox'

/** The envelope of health, subscriptions and one-time payments. */
export const Envelope = <T extends TSchema>(title: string, data: T) =>
  Type.Object(
    {
      success: Type.Literal(true),
      data,
      timestamp: Type.Integer({ description: 'server time in milliseconds since the Unix epoch' }),
    },
    { title },
  )

export const inEnvelope = <T>(data: T) => ({ success: true as const, data, timestamp: Date.now() })
