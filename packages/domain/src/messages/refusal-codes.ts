/** Why a message is refused: the stable codes of dead letters. docs/errors.md is written from this list. */
export const REFUSALS = {
  NOT_JSON: 'not one JSON text in UTF-8',
  NOT_AN_EVENT: 'not an object with the members of an event',
  BAD_SLOT: '`slot` is not an integer from 1 to 2^53-1',
  BAD_SIGNATURE: '`signature` is not base58 of 64 bytes',
  BAD_INDEX: '`index` is not an integer from 0 to 2^32-1',
  BAD_TRANSACTION_INDEX: '`transaction_index` is not an integer from 0 to 2^32-1',
  BAD_COMMITMENT: '`commitment` is neither `confirmed` nor `finalized`',
  BAD_EVENT_NAME: 'more than 64 characters, or others than letters, digits, `_`',
  BAD_TIMESTAMP: '`timestamp` is not RFC 3339',
  BAD_DATA: '`data` is no object, or a field is missing or wrong',
  BAD_CONTROL: 'a control message of an unknown kind, or without what its kind must have',
  TOO_DEEP: 'nested deeper than 64 levels',
  FOREIGN_PROGRAM: 'of another program, or of none where one is required',
  CONFLICT: 'the event is stored with other contents; the first one stays',
  STORE_REFUSED: 'Postgres refused a value that every check had passed',
  INGEST_FAULT: 'our fault: mend it, then replay',
} as const

export type RefusalCode = keyof typeof REFUSALS
