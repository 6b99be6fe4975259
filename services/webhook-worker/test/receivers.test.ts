// The receiver of docs/webhooks.md, and those for Express, Fastify and Python: each takes what the service signs, once, and nothing else.
import { execFileSync, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { renderPaymentMessage, signDelivery, webhookSecretOf } from '@payment-tracking/domain'
import { makeCommittedPayment, waitFor } from '@payment-tracking/testkit'
import t from 'tap'

const example = (name: string) => fileURLToPath(new URL(`../../../docs/examples/${name}`, import.meta.url))

// Whole, so that what it imports is known to be used.
const GUIDE = fileURLToPath(new URL('../../../docs/examples/webhook-receiver.mjs', import.meta.url))

const hasPython = (() => {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

const RECEIVERS = [
  {
    name: 'guide’s',
    command: [process.execPath, GUIDE],
    line: 'payment 1 of order-ü: 1844',
  },
  { name: 'Express', command: [process.execPath, example('express-receiver.mjs')] },
  { name: 'Fastify', command: [process.execPath, example('fastify-receiver.mjs')] },
  { name: 'Python', command: ['python3', example('receiver.py')], needs: hasPython },
]

for (const { name, command, needs = true, line = 'payment.executed order-ü' } of RECEIVERS) {
  t.test(`the ${name} receiver verifies, dedupes and answers`, { skip: !needs }, async t => {
    const secret = webhookSecretOf(Uint8Array.from({ length: 32 }, (_, index) => index))
    const [program, ...args] = command
    const child = spawn(program!, args, {
      env: { PATH: process.env.PATH, WEBHOOK_SECRET: secret, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.teardown(() => child.kill())
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
    const port = await waitFor(() => /listening (\d+)/.exec(output)?.[1], { what: name })
    const messageOf = (seq: number) =>
      renderPaymentMessage(makeCommittedPayment('a-gateway', { trackingId: 'order-ü', seq }))
    const first = messageOf(1)
    const post = async (sentAt: number, signedBy: string, tamper = '', message = first) => {
      const signed = signDelivery({ ...message, sentAt }, [signedBy])
      const headers = { ...signed, 'content-type': 'application/json' }
      const url = `http://127.0.0.1:${port}/hooks`
      return (await fetch(url, { method: 'POST', headers, body: message.body + tamper })).status
    }
    const now = Math.floor(Date.now() / 1_000)
    t.equal(await post(now, secret), 204)
    t.equal(await post(now, secret), 204, 'a repeat is taken')
    t.equal(await post(now, webhookSecretOf(new Uint8Array(32))), 401, 'another secret')
    t.equal(await post(now, secret, ' '), 401, 'other bytes')
    t.equal(await post(now - 3_600, secret), 401, 'an old request')
    await waitFor(() => output.includes(line), { what: 'its line' })
    t.equal(output.split(line).length, 2, 'and is no second payment')
    if (!line.startsWith('payment 1')) return
    t.equal(await post(now, secret, '', messageOf(4)), 204)
    await waitFor(() => output.includes('still to come for order-ü: 2 to 3'), { what: 'the gap' })
  })
}
