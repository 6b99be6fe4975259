import {
  AccountState,
  getMintEncoder,
  getTokenDecoder,
  getTokenEncoder,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import { address, unwrapOption } from '@solana/kit'
import bs58 from 'bs58'
import fc from 'fast-check'
import t from 'tap'
import { readTokenAccount, TOKEN_ACCOUNT_BYTES } from '../src/index.js'

const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
const key = (byte: number) => bs58.encode(new Uint8Array(32).fill(byte))
const most = 2n ** 64n - 1n
const encode = (changes: Partial<Parameters<ReturnType<typeof getTokenEncoder>['encode']>[0]> = {}) =>
  Uint8Array.from(
    getTokenEncoder().encode({
      mint: address(key(1)),
      owner: address(key(2)),
      amount: most,
      delegate: address(key(3)),
      state: AccountState.Initialized,
      isNative: null,
      delegatedAmount: most,
      closeAuthority: null,
      ...changes,
    }),
  )
const withExtensions = (data: Uint8Array, kind: number) => Uint8Array.from([...data, kind, 7, 0, 0, 0])

t.test('accounts of both token programs are read with every digit', async t => {
  const read = {
    program: TOKEN_PROGRAM_ADDRESS as string,
    mint: key(1),
    owner: key(2),
    balance: most,
    delegate: key(3),
    allowance: most,
    frozen: false,
  }
  t.same(readTokenAccount(TOKEN_PROGRAM_ADDRESS, encode()), read)
  t.same(readTokenAccount(TOKEN_2022, encode()), { ...read, program: TOKEN_2022 }, 'without extensions')
  const long = withExtensions(encode(), 2)
  t.same(readTokenAccount(TOKEN_2022, long), { ...read, program: TOKEN_2022 })
  const readLong = readTokenAccount(TOKEN_2022, long.subarray(0, TOKEN_ACCOUNT_BYTES))
  t.same(readLong, { ...read, program: TOKEN_2022 })
  t.match(readTokenAccount(TOKEN_2022, encode({ state: AccountState.Frozen })), { frozen: true })
  const undelegated = readTokenAccount(TOKEN_PROGRAM_ADDRESS, encode({ delegate: null, delegatedAmount: 9n }))
  t.match(undelegated, { delegate: null, allowance: 0n }, 'what nobody may take is nothing')
})

t.test('what is no token account is none', async t => {
  const mint = new Uint8Array(170)
  mint.set(
    getMintEncoder().encode({
      mintAuthority: address(key(1)),
      supply: 5n,
      decimals: 6,
      isInitialized: true,
      freezeAuthority: null,
    }),
  )
  mint[165] = 1
  t.equal(readTokenAccount(TOKEN_2022, mint), null, 'a mint of Token-2022, filled up to the same length')
  t.equal(readTokenAccount(TOKEN_2022, withExtensions(encode(), 1)), null, 'what says that it is a mint')
  t.equal(readTokenAccount(TOKEN_PROGRAM_ADDRESS, new Uint8Array(355)), null, 'a multisig')
  t.equal(readTokenAccount(TOKEN_PROGRAM_ADDRESS, new Uint8Array(82)), null, 'a mint')
  t.equal(readTokenAccount(key(9), encode()), null, 'an account of another program')
  t.equal(readTokenAccount(TOKEN_PROGRAM_ADDRESS, encode({ state: AccountState.Uninitialized })), null)
})

t.test('any account is read as the program’s own client reads it', async t => {
  const option = fc
    .uint8Array({ minLength: 36, maxLength: 36 })
    .chain(bytes => fc.constantFrom(0, 1).map(mark => [mark, 0, 0, 0, ...bytes.slice(4)]))
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
  const native = fc.tuple(fc.constantFrom(0, 1), bytes(8)).map(([mark, value]) => [mark, 0, 0, 0, ...value])
  const accounts = fc.tuple(bytes(72), option, fc.constantFrom(0, 1, 2), native, bytes(8), option)
  fc.assert(
    fc.property(accounts, parts => {
      const data = Uint8Array.from(parts.flatMap(part => (typeof part === 'number' ? [part] : [...part])))
      const theirs = getTokenDecoder().decode(data)
      const delegate = unwrapOption(theirs.delegate)
      t.strictSame(
        readTokenAccount(TOKEN_PROGRAM_ADDRESS, data),
        theirs.state === AccountState.Uninitialized
          ? null
          : {
              program: TOKEN_PROGRAM_ADDRESS,
              mint: theirs.mint,
              owner: theirs.owner,
              balance: theirs.amount,
              delegate,
              allowance: delegate === null ? 0n : theirs.delegatedAmount,
              frozen: theirs.state === AccountState.Frozen,
            },
      )
    }),
  )
})
