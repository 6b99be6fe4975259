import { connect } from 'node:net'

/**
 * Speaks a line protocol with a local server, to learn whether it really answers: an open port alone
 * says nothing about readiness, nor about who listens there.
 * @param turns each waits for text that matches, then sends its line
 * @returns whether every turn came about in time
 */
export function converse(
  port: number,
  turns: readonly { expect?: RegExp; send?: string }[],
  timeoutMs = 1_000,
): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1' })
    const left = [...turns]
    let heard = ''
    const finish = (answered: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answered)
    }
    const timer = setTimeout(() => finish(false), timeoutMs)
    const go = () => {
      for (let turn = left[0]; turn; turn = left[0]) {
        if (turn.expect && !turn.expect.test(heard)) return
        if (turn.expect) heard = ''
        if (turn.send) socket.write(`${turn.send}\r\n`)
        left.shift()
      }
      finish(true)
    }
    socket.on('connect', go)
    socket.on('data', bytes => {
      heard += bytes.toString('latin1')
      go()
    })
    socket.on('error', () => finish(false))
    socket.on('close', () => finish(false))
  })
}
