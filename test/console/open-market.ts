// What the browser tests of the console look at: a system, a gateway with a payer who paid twice, and a browser.
import { buildChain, openReceiver, waitFor, type TestContext } from '@payment-tracking/testkit'
import { startStackWithPublisher } from '../e2e/start-stack-with-publisher.js'
import { openConsole } from './open-console.js'
import { keepPicture, type Picture } from './pictures.js'

export const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'

export async function openMarket(t: TestContext) {
  const stack = await startStackWithPublisher(t, 'console', {
    RATE_LIMIT_MAX: '100000',
    WEBHOOK_BACKOFF_MS: '50',
  })
  const { id, baseUrl, publish } = stack
  const chain = buildChain({ seed: id })
  const gateway = await chain.openGateway('Console Test')
  const payer = await chain.openUserPayment(USDC)
  const trackingId = `order-${id}`
  const policy = await chain.openPolicy(gateway, payer, { trackingId, amount: 12_500_000n })
  const first = chain.pay(policy)
  await publish(gateway.created, payer.created, policy.created, first, chain.pay(policy))
  await waitFor(async () => {
    const response = await fetch(`${baseUrl}/v1/onetime/${trackingId}`)
    return response.ok && Array.isArray(((await response.json()) as { data: unknown }).data)
  })
  const console = await openConsole(t, baseUrl, gateway.authority)
  const { page } = console
  return {
    ...stack,
    chain,
    gateway,
    payer,
    trackingId,
    policy,
    /** of its two payments */
    first,
    ...console,
    receiver: await openReceiver(t),
    takePicture: (name: Picture) => keepPicture(page, name),
    field: (label: string) => page.getByLabel(label, { exact: true }),
    button: (name: string) => page.getByRole('button', { name, exact: true }),
  }
}

export type Market = Awaited<ReturnType<typeof openMarket>>
