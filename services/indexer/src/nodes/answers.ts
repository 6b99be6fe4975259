// What a node may answer, as a schema for each method. A node is a stranger: an answer of another shape is `wrong`, however
// the node came to give it. A member that a node leaves out counts as null.
import { Type, type Static, type TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { NodeError } from './node-error.js'

const BASE58 = '[1-9A-HJ-NP-Za-km-z]'
/** A transaction can be no later than the last time that a message can hold. */
const LAST_SECOND = 253_402_300_799

const Nullable = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const Slot = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Key = Type.String({ pattern: `^${BASE58}{32,44}$` })
const Signature = Type.String({ pattern: `^${BASE58}{64,88}$` })
const Index = Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1 })
const KeyIndex = Type.Integer({ minimum: 0, maximum: 255 })

/** Rust's `TransactionError` as JSON: the name of the error, or an object whose only member has this name. */
const TransactionFailure = Type.Union([
  Type.String({ pattern: '^[A-Z][A-Za-z]+$' }),
  Type.Record(Type.String({ pattern: '^[A-Z][A-Za-z]+$' }), Type.Unknown(), {
    minProperties: 1,
    maxProperties: 1,
    additionalProperties: false,
  }),
])

const Instruction = Type.Object({
  programIdIndex: KeyIndex,
  data: Type.String({ pattern: `^${BASE58}*$` }),
  stackHeight: Nullable(Type.Integer({ minimum: 1, maximum: 255 })),
})

const Lookup = Type.Object({
  writableIndexes: Type.Array(KeyIndex),
  readonlyIndexes: Type.Array(KeyIndex),
})

/** The used part of an answer of `getTransaction` with encoding `json`. */
const Transaction = Type.Object({
  slot: Slot,
  blockTime: Nullable(Type.Integer({ minimum: 0, maximum: LAST_SECOND })),
  transactionIndex: Nullable(Index),
  meta: Type.Object({
    err: Nullable(TransactionFailure),
    logMessages: Nullable(Type.Array(Type.String())),
    innerInstructions: Nullable(
      Type.Array(Type.Object({ index: KeyIndex, instructions: Type.Array(Instruction) })),
    ),
    loadedAddresses: Nullable(Type.Object({ writable: Type.Array(Key), readonly: Type.Array(Key) })),
  }),
  transaction: Type.Object({
    signatures: Type.Array(Signature, { minItems: 1 }),
    message: Type.Object({
      accountKeys: Type.Array(Key, { minItems: 1 }),
      instructions: Type.Array(Instruction),
      addressTableLookups: Nullable(Type.Array(Lookup)),
    }),
  }),
})

const ListedSignature = Type.Object({
  signature: Signature,
  slot: Slot,
  err: Nullable(TransactionFailure),
  transactionIndex: Nullable(Index),
})

const Block = Type.Object({ parentSlot: Slot, signatures: Type.Array(Signature) })

const Account = Type.Object({
  data: Type.Tuple([Type.String({ pattern: '^[A-Za-z0-9+/]*=*$' }), Type.Literal('base64')]),
  owner: Type.Optional(Key),
})
const inContext = <T extends TSchema>(value: T) =>
  Type.Object({ context: Type.Object({ slot: Slot }), value: Type.Array(value) })

/** The result of each method that this service calls. */
const RESULTS = {
  getGenesisHash: Key,
  getFirstAvailableBlock: Slot,
  getSlot: Slot,
  getSignaturesForAddress: Type.Array(ListedSignature),
  getTransaction: Type.Union([Transaction, Type.Null()]),
  getBlock: Type.Union([Block, Type.Null()]),
  getBlocks: Type.Array(Slot),
  getMultipleAccounts: inContext(Type.Union([Account, Type.Null()])),
  getTokenAccountsByOwner: inContext(Type.Object({ account: Account })),
} satisfies Record<string, TSchema>

export type NodeMethod = keyof typeof RESULTS
export type NodeResult<Method extends NodeMethod> = Static<(typeof RESULTS)[Method]>
export type RawTransaction = Static<typeof Transaction>
export type RawBlock = Static<typeof Block>

/** JSON-RPC 2.0. Some servers write `error: null` beside a result. */
const Failure = Type.Object({ error: Type.Object({ code: Type.Integer(), message: Type.String() }) })
const Success = Type.Object({ result: Type.Unknown(), error: Type.Optional(Type.Null()) })

/** A message of `logsSubscribe`; kit reads its integers as bigints. */
const LogsNotification = Type.Object({
  context: Type.Object({ slot: Type.Union([Slot, Type.BigInt()]) }),
  value: Type.Object({ signature: Signature, err: Nullable(TransactionFailure) }),
})

const results = Object.fromEntries(
  Object.entries(RESULTS).map(([method, schema]) => [method, Compile(schema)]),
) as unknown as Record<NodeMethod, Validator>
const failure = Compile(Failure)
const success = Compile(Success)
const logsNotification = Compile(LogsNotification)

/** The answer to a request: the checked result, or the error that the node names. */
export type Answer = { result: unknown } | { error: { code: number; message: string } }

/** Why a value does not fit: the path of the first member that is wrong. */
function describeMisfit(validator: Validator, value: unknown): string {
  const [first] = validator.Errors(value)
  return first ? `${first.instancePath || 'the whole'} ${first.message}` : 'it does not fit'
}

/** @throws NodeError (wrong) when the answer has another shape than the method's */
export function readAnswer(answer: unknown, name: string, method: NodeMethod): Answer {
  if (failure.Check(answer)) return answer
  if (!success.Check(answer)) throw new NodeError('wrong', `${name} answered ${method} with no result`)
  const { result } = answer
  const validator = results[method]
  if (!validator.Check(result))
    throw new NodeError(
      'wrong',
      `${name} answered ${method} in another shape: ${describeMisfit(validator, result)}`,
    )
  return { result }
}

/** @throws NodeError (wrong) */
export function readLogsNotification(message: unknown, name: string): Static<typeof LogsNotification> {
  if (!logsNotification.Check(message))
    throw new NodeError('wrong', `${name} sent a notification of another shape`)
  return message
}
