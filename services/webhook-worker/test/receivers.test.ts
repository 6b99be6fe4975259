// The example receivers for Express, Fastify and Python: each takes what the service signs, once, and nothing else.
import { execFileSync, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { renderPaymentMessage, signDelivery, webhookSecretOf } from '@payment-tracking/domain'
import { makeCommittedPayment, waitFor } from '@payment-tracking/testkit'
import t from 'tap'

const example = (name: string) => fileURLToPath(new URL(`../../../docs/examples/${name}`, import.meta.url))

const hasPython = (() => {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

const RECEIVERS = [
  { name: 'Express', command: [process.execPath, example('express-receiver.mjs')] },
  { name: 'Fastify', command: [process.execPath, example('fastify-receiver.mjs')] },
  { name: 'Python', command: ['python3', example('receiver.py')], needs: hasPython },
]

for (const { name, command, needs = true } of RECEIVERS) {
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
    const message = renderPaymentMessage(makeCommittedPayment('a-gateway', { trackingId: 'order-ü' }))
    const post = async (sentAt: number, signedBy: string, tamper = '') => {
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
    await waitFor(() => output.includes('payment.executed order-ü'), { what: 'its line' })
    t.equal(output.match(/payment\.executed/g)!.length, 1, 'and is no second payment')
  })
}
