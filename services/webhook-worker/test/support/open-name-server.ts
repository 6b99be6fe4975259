// A name server on UDP, for questions of A and AAAA.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIP } from 'node:net'
import type { TestContext } from '@payment-tracking/testkit'

const TYPES = { 1: 'A', 28: 'AAAA' } as const
export type QuestionType = (typeof TYPES)[keyof typeof TYPES]

const bytesOf = (address: string): number[] => {
  if (isIP(address) === 4) return address.split('.').map(Number)
  const [head = '', tail = ''] = address.split('::')
  const groupsOf = (text: string) => text.split(':').filter(Boolean)
  const [left, right] = [groupsOf(head), groupsOf(tail)]
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
  return groups.flatMap(group => [parseInt(group, 16) >> 8, parseInt(group, 16) & 255])
}

/** @param answers the addresses of every name; null: the question stays without an answer */
export async function openNameServer(
  t: TestContext,
  answers: Readonly<Record<QuestionType, string[] | null>>,
): Promise<{ address: string; asked: string[] }> {
  const socket = createSocket('udp4')
  /** `type name` of each question, in order, repetitions too */
  const asked: string[] = []
  socket.on('message', (question, from) => {
    const labels: string[] = []
    let at = 12
    for (let length = question[at]!; length > 0; length = question[at]!) {
      labels.push(question.toString('latin1', at + 1, at + 1 + length))
      at += 1 + length
    }
    const code = question.readUInt16BE(at + 1) as keyof typeof TYPES
    asked.push(`${TYPES[code]} ${labels.join('.')}`)
    const addresses = answers[TYPES[code]]
    if (!addresses) return
    const header = Buffer.from(question.subarray(0, 12))
    header.writeUInt16BE(0x8180, 2)
    header.writeUInt16BE(addresses.length, 6)
    header.fill(0, 8)
    const records = addresses.map(bytesOf).map(bytes =>
      // A pointer to the name of the question, type, class IN, and a life of 60 s.
      Buffer.from([0xc0, 12, 0, code, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes]),
    )
    socket.send(Buffer.concat([header, question.subarray(12, at + 5), ...records]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.teardown(() => void socket.close())
  return { address: `127.0.0.1:${socket.address().port}`, asked }
}
