// The messages of the stream, as schemas for the AsyncAPI document. Ingest reads bytes with a reader of its own
// (domain/messages), which keeps every digit; a test compares the two on what is accepted and what is refused.
import { Type } from 'typebox'

const U32 = 2 ** 32 - 1
const Nullable = (schema: Parameters<typeof Type.Union>[0][number]) =>
  Type.Optional(Type.Union([schema, Type.Null()]))
const Slot = () => Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
const Signature = () =>
  Type.String({
    pattern: '^[1-9A-HJ-NP-Za-km-z]{64,88}$',
    description: 'of the transaction: base58 of 64 bytes',
  })

const Key = (description: string) =>
  Type.String({ pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$', description: `base58 of 32 bytes: ${description}` })
const Amount = () =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: '^(0|[1-9][0-9]{0,19})$' })], {
    description: "in the token's smallest unit, below 2^64",
  })

/** An event of the program. */
export const ChainMessageSchema = Type.Object(
  {
    slot: Slot(),
    signature: Signature(),
    event_name: Type.String({
      pattern: '^([a-z0-9_]+_(?=[A-Z]))?[A-Za-z0-9_]{1,64}$',
      description: "as in the program's IDL; a prefix such as `tributary_` is removed",
    }),
    data: Type.Object({}, { additionalProperties: true, description: "the event's fields, as in the IDL" }),
    timestamp: Type.String({ format: 'date-time', description: "the block's time" }),
    index: Nullable(
      Type.Integer({
        minimum: 0,
        maximum: U32,
        description: "place among the program's events of the transaction: send it",
      }),
    ),
    transaction_index: Nullable(
      Type.Integer({ minimum: 0, maximum: U32, description: 'place of the transaction in its block' }),
    ),
    commitment: Nullable(Type.Enum(['confirmed', 'finalized'])),
    program_id: Nullable(Type.String({ description: 'must be the configured program' })),
  },
  { title: 'ChainEvent' },
)

/** Control messages, by the last part of their subject. */
export const CONTROL_SCHEMAS = {
  finalized: Type.Object(
    { slot: Slot() },
    { title: 'Finalized', description: 'Every event up to this slot is final.' },
  ),
  retracted: Type.Object(
    { signature: Signature(), slot: Slot() },
    { title: 'Retracted', description: 'The finalized chain does not hold the transaction.' },
  ),
  gap: Type.Object(
    {
      fromSlot: Slot(),
      toSlot: Slot(),
      reason: Nullable(Type.String()),
      signature: Nullable(Signature()),
      bytes: Nullable(Type.String({ contentEncoding: 'base64' })),
      closed: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
    },
    { title: 'Gap', description: 'What the publisher could not read, until it comes with `closed: true`.' },
  ),
  funds: Type.Object(
    {
      tokenAccount: Key('the account'),
      slot: Slot(),
      exists: Type.Boolean(),
      owner: Nullable(Key('whose account it is; of a missing one, whose it would be')),
      mint: Nullable(Key('its token')),
      balance: Nullable(Amount()),
      delegate: Nullable(Key('who may spend the allowance; null is nobody')),
      allowance: Nullable(Amount()),
      frozen: Type.Optional(Type.Boolean()),
      others: Nullable(
        Type.Enum(['usable', 'frozen', 'none'], {
          description:
            'of a missing account: the other token accounts of its owner and mint. One takes payments, all are frozen, or there is none; null where nobody asked',
        }),
      ),
      nodes: Type.Integer({ minimum: 1, maximum: 1_000, description: 'how many nodes agreed' }),
    },
    { title: 'Funds', description: 'What the nodes see of a token account. The newest slot counts.' },
  ),
} as const
