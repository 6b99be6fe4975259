// The published client against a pod, where the pod refuses or a proxy stands before the service.
import { once } from 'node:events'
import { watchPayments, type WatchState } from '@payment-tracking/client'
import { openProxy, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { usePods } from './use-pods.js'

t.test('a watch whose connection was refused was silent for ever', async t => {
  const pods = await usePods(t, { MAX_CONNECTIONS_PER_ADDRESS: '1' })
  const pod = await pods.start()
  const holder = pod.connect({ reconnection: false })
  await once(holder as never, 'connect')
  const heard: string[] = []
  const watch = watchPayments(pod.url, {
    trackingId: 'order',
    onPayment: ({ seq }) => heard.push(`payment ${seq}`),
    onReady: ({ since }) => heard.push(`ready ${since}`),
    onRefused: ({ code, isFinal }) => heard.push(`${code} ${isFinal}`),
  })
  t.teardown(() => watch.close())
  await waitFor(() => heard.length === 2, { what: 'a second refusal' })
  t.same(heard.splice(0), ['TOO_MANY_CONNECTIONS false', 'TOO_MANY_CONNECTIONS false'])
  holder.disconnect()
  await waitFor(() => heard.includes('ready 0'), { what: 'the seat that is free' })
  await pods.pay({ trackingId: 'order' })
  await waitFor(() => heard.includes('payment 1'), { what: 'a payment' })
})

t.test('a base URL with a path led sockets to the root of its host', async t => {
  const pods = await usePods(t)
  const pod = await pods.start()
  const proxy = await openProxy(t, pod.url, '/pay')
  const [states, seqs, lost]: [WatchState[], number[], number[]] = [[], [], []]
  const watch = watchPayments(`${proxy.url}/`, {
    trackingId: 'order',
    since: 0,
    onPayment: ({ seq }) => seqs.push(seq),
    onReady: state => states.push(state),
    onLost: () => lost.push(seqs.length),
  })
  t.teardown(() => watch.close())
  await waitFor(() => states.length === 1, { what: 'the subscription' })
  await pods.pay({ trackingId: 'order' })
  await waitFor(() => seqs.length === 1, { what: 'a payment' })
  proxy.cut()
  await waitFor(() => states.length === 2, { what: 'the next subscription' })
  t.same(lost, [1], 'and a lost connection is told')
  for (const asked of proxy.asked) t.match(asked, /^UPGRADE \/pay\/ws\/v1\/\?/)
})
