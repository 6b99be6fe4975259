import { connect } from 'node:net'

/**
 * Speaks a line protocol with a local server, to check that the right server answers: an open port proves neither.
 * @param steps each step waits for matching text, then sends its line
 * @returns whether every step ended in time
 */
export function converse(
  port: number,
  steps: readonly { expect?: RegExp; send?: string }[],
  timeoutMs = 1_000,
): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1' })
    const left = [...steps]
    let heard = ''
    const finish = (answered: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answered)
    }
    const timer = setTimeout(() => finish(false), timeoutMs)
    const go = () => {
      for (let step = left[0]; step; step = left[0]) {
        if (step.expect && !step.expect.test(heard)) return
        if (step.expect) heard = ''
        if (step.send) socket.write(`${step.send}\r\n`)
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
