// The payment fields of every record, so that a reader can check the fields that the warning names.
import { Type } from 'typebox'
import { Integer, Nullable, PublicKey, Text } from '../http/fields.js'

export const FinalityField = Type.String({
  enum: ['confirmed', 'finalized'],
  description: 'a confirmed transaction can still be retracted; a finalized one cannot',
  examples: ['finalized'],
})

export const RetractedField = Type.Optional(
  Type.Boolean({
    description: 'the finalized chain does not hold its transaction; only where it was asked for',
    examples: [false],
  }),
)

export const PaymentFields = {
  eventId: Text('`id` of its event record', '0f0e7a52-5d0c-8c51-9f6e-6d8a6e0b1c11'),
  recipient: Nullable(PublicKey('who was paid; null while nobody has told us')),
  payer: Nullable(PublicKey('the wallet that paid; null while nobody has told us')),
  tokenMint: Nullable(PublicKey('the token; null while nobody has told us')),
  seq: Nullable(Integer('counts the payments of its tracking ID from 1', 1)),
  amountString: Text("amount in the token's smallest unit, as a text", '404000000'),
  decimals: Type.Optional(Integer('of the token, when this service knows it', 6)),
  symbol: Type.Optional(Text('of the token, when this service knows it', 'USDC')),
}
