// A program that executes its instruction data: it logs, calls other programs, fails. At the payment program's address
// it simulates that program; at another address it simulates a stranger who imitates the program.
//
// Instruction data: 8 bytes that the puppet ignores (an instruction's discriminator), then frames: operation u8,
// length of the payload u16, payload.
import bs58 from 'bs58'
import { assemble, buildElf, type Source } from './assemble.js'

/** The actions of a puppet, in order. */
export type Step =
  | { log: Uint8Array }
  /** the bytes as two slices of one line */
  | { logTwice: Uint8Array }
  | { text: string }
  /** so many zero bytes of text, to fill the log */
  | { spam: number }
  | { call: PuppetCall }
  | { fail: true }

export interface PuppetCall {
  /** base58; a puppet must be deployed there */
  program: string
  /** the first 8 bytes of the instruction's data */
  discriminator: Uint8Array
  steps: readonly Step[]
}

const OP = { log: 1, text: 2, call: 3, fail: 4, spam: 6, logTwice: 7 } as const

function frame(operation: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(3)
  head.writeUInt8(operation)
  head.writeUInt16LE(payload.length, 1)
  return Buffer.concat([head, payload])
}

const u16 = (value: number) => Buffer.of(value & 255, value >> 8)

/** Every program that a call reaches through its steps, without the called program itself. */
export function calleesOf({ steps }: PuppetCall): string[] {
  const callees = steps.flatMap(step => ('call' in step ? [step.call.program, ...calleesOf(step.call)] : []))
  return [...new Set(callees)]
}

/** Writes the instruction data of a call. */
export function writeCall(call: PuppetCall): Buffer {
  const frames = call.steps.map(step => {
    if ('log' in step) return frame(OP.log, step.log)
    if ('logTwice' in step) return frame(OP.logTwice, step.logTwice)
    if ('text' in step) return frame(OP.text, Buffer.from(step.text))
    if ('spam' in step) return frame(OP.spam, u16(step.spam))
    if ('fail' in step) return frame(OP.fail, Buffer.alloc(0))
    const data = writeCall(step.call)
    const accounts = calleesOf(step.call)
    const head = Buffer.concat([
      bs58.decode(step.call.program),
      Buffer.of(accounts.length, 0),
      u16(data.length),
      Buffer.alloc(4),
    ])
    return frame(OP.call, Buffer.concat([head, ...accounts.map(key => bs58.decode(key)), data]))
  })
  return Buffer.concat([call.discriminator, ...frames])
}

// Opcodes of sBPF, and the hashes by which it calls the runtime.
const load8 = (dst: number, src: number, offset = 0) => ({ opcode: 0x71, dst, src, offset })
const load16 = (dst: number, src: number, offset = 0) => ({ opcode: 0x69, dst, src, offset })
const load64 = (dst: number, src: number, offset = 0) => ({ opcode: 0x79, dst, src, offset })
const store64 = (dst: number, offset: number, src: number) => ({ opcode: 0x7b, dst, src, offset })
const set = (dst: number, imm: number) => ({ opcode: 0xb7, dst, imm })
const copy = (dst: number, src: number) => ({ opcode: 0xbf, dst, src })
const add = (dst: number, imm: number) => ({ opcode: 0x07, dst, imm })
const addRegister = (dst: number, src: number) => ({ opcode: 0x0f, dst, src })
const and = (dst: number, imm: number) => ({ opcode: 0x57, dst, imm })
const ifEqual = (dst: number, imm: number, offset: string) => ({ opcode: 0x15, dst, imm, offset })
const ifSame = (dst: number, src: number, offset: string) => ({ opcode: 0x1d, dst, src, offset })
const jump = (offset: string) => ({ opcode: 0x05, offset })
const syscall = (imm: number) => ({ opcode: 0x85, imm })
const exit = { opcode: 0x95 }
const SOL_LOG = 0x207559bd
const SOL_LOG_DATA = 0x7317b434
const SOL_INVOKE_SIGNED_C = 0xa22b9c85

/** The address of the heap in a register: two slots, the low and the high half. */
const heap = (dst: number) => [
  { opcode: 0x18, dst, imm: 0 },
  { opcode: 0, imm: 3 },
]

/** What the runtime keeps after an account's data for it to grow. */
const SPARE_BYTES = 10_240

const PUPPET: Source = [
  // r6 walks over the accounts of the input to the instruction's data.
  copy(6, 1),
  load64(7, 6),
  add(6, 8),
  'accounts',
  ifEqual(7, 0, 'data'),
  add(7, -1),
  load8(0, 6),
  ifEqual(0, 255, 'account'),
  add(6, 8),
  jump('accounts'),
  'account',
  load64(0, 6, 80),
  addRegister(6, 0),
  add(6, 88 + SPARE_BYTES + 7),
  and(6, -8),
  add(6, 8),
  jump('accounts'),
  // r6 is the next frame, r8 the end.
  'data',
  load64(8, 6),
  add(6, 8),
  addRegister(8, 6),
  add(6, 8),
  'frame',
  ifSame(6, 8, 'done'),
  load8(0, 6),
  load16(7, 6, 1),
  add(6, 3),
  ...heap(9),
  ifEqual(0, OP.log, 'log'),
  ifEqual(0, OP.logTwice, 'log-twice'),
  ifEqual(0, OP.text, 'text'),
  ifEqual(0, OP.call, 'call'),
  ifEqual(0, OP.spam, 'spam'),
  set(0, 1),
  exit,
  'next',
  addRegister(6, 7),
  jump('frame'),
  'log',
  store64(9, 0, 6),
  store64(9, 8, 7),
  copy(1, 9),
  set(2, 1),
  syscall(SOL_LOG_DATA),
  jump('next'),
  'log-twice',
  store64(9, 0, 6),
  store64(9, 8, 7),
  store64(9, 16, 6),
  store64(9, 24, 7),
  copy(1, 9),
  set(2, 2),
  syscall(SOL_LOG_DATA),
  jump('next'),
  'text',
  copy(1, 6),
  copy(2, 7),
  syscall(SOL_LOG),
  jump('next'),
  'spam',
  copy(1, 9),
  add(1, 4096),
  load16(2, 6),
  syscall(SOL_LOG),
  jump('next'),
  // The instruction at the heap's start; the metas of its accounts 64 bytes further.
  'call',
  store64(9, 0, 6),
  copy(1, 9),
  add(1, 64),
  store64(9, 8, 1),
  load8(2, 6, 32),
  store64(9, 16, 2),
  copy(3, 6),
  add(3, 40),
  'meta',
  ifEqual(2, 0, 'metas-done'),
  store64(1, 0, 3),
  set(0, 0),
  store64(1, 8, 0),
  add(1, 16),
  add(3, 32),
  add(2, -1),
  jump('meta'),
  'metas-done',
  store64(9, 24, 3),
  load16(4, 6, 34),
  store64(9, 32, 4),
  copy(1, 9),
  copy(2, 9),
  set(3, 0),
  set(4, 0),
  set(5, 0),
  syscall(SOL_INVOKE_SIGNED_C),
  jump('next'),
  'done',
  set(0, 0),
  exit,
]

/** The program's executable. */
export const buildPuppet = (): Buffer => buildElf(assemble(PUPPET))
