// A small assembler for sBPF, and the ELF file around its code. No toolchain for Solana programs comes from npm.
// Source: sBPF v3, anza-xyz/sbpf src/elf.rs: a header, one segment, the code.

/** One instruction: opcode, destination and source register, offset (or the label to jump to), immediate. */
export interface Instruction {
  opcode: number
  dst?: number
  src?: number
  offset?: number | string
  imm?: number
}

/** A list of instructions and labels. */
export type Source = readonly (Instruction | string)[]

/** @returns the code, 8 bytes an instruction */
export function assemble(source: Source): Buffer {
  const labels = new Map<string, number>()
  let at = 0
  for (const line of source) {
    if (typeof line === 'string') labels.set(line, at)
    else at++
  }
  const code = Buffer.alloc(at * 8)
  at = 0
  for (const line of source) {
    if (typeof line === 'string') continue
    const { opcode, dst = 0, src = 0, offset = 0, imm = 0 } = line
    const target = typeof offset === 'string' ? labels.get(offset)! - at - 1 : offset
    code.writeUInt8(opcode, at * 8)
    code.writeUInt8((src << 4) | dst, at * 8 + 1)
    code.writeInt16LE(target, at * 8 + 2)
    code.writeInt32LE(imm | 0, at * 8 + 4)
    at++
  }
  return code
}

const HEADER_BYTES = 120
/** Where the runtime maps a program's code. */
const CODE_ADDRESS = 1n << 32n

/** @returns an executable that the loader takes */
export function buildElf(code: Buffer): Buffer {
  const elf = Buffer.alloc(HEADER_BYTES)
  elf.write('7f454c46020101', 'hex')
  elf.writeUInt16LE(3, 16)
  elf.writeUInt16LE(247, 18)
  elf.writeUInt32LE(1, 20)
  elf.writeBigUInt64LE(CODE_ADDRESS, 24)
  elf.writeBigUInt64LE(64n, 32)
  elf.writeUInt32LE(3, 48)
  ;[64, 56, 1, 64, 0, 0].forEach((value, index) => elf.writeUInt16LE(value, 52 + 2 * index))
  elf.writeUInt32LE(1, 64)
  elf.writeUInt32LE(1, 68)
  const size = BigInt(code.length)
  ;[BigInt(HEADER_BYTES), CODE_ADDRESS, CODE_ADDRESS, size, size].forEach((value, index) =>
    elf.writeBigUInt64LE(value, 72 + 8 * index),
  )
  return Buffer.concat([elf, code])
}
