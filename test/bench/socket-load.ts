// Light clients for the realtime benches: bare WebSockets that speak just enough Socket.IO and only count, so
// that the machine's two cores are left to what is measured.
import { once } from 'node:events'
import type { CommittedPayment, PaymentMessage } from '@payment-tracking/contracts'
import { makeCommittedPayment } from '@payment-tracking/testkit'
import { WebSocket } from 'ws'

/** A payment as ingest would announce it. */
export const paymentFor = (trackingId: string, seq: number): CommittedPayment =>
  makeCommittedPayment('4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T', {
    trackingId,
    seq,
    signature: '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW',
    slot: 312_345_678,
    paymentPolicy: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin',
    amount: '25000000',
    recordId: seq,
    recipient: '7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv',
    payer: '8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR',
    tokenMint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  })

export interface SocketLoad {
  /** payments that arrived at all sockets together */
  received(): number
  onPayment(listener: (payment: PaymentMessage['data']) => void): void
  close(): void
}

/**
 * Opens sockets, as many at a time as a server may greet.
 * @param trackingIdOf what socket number n subscribes to
 */
export async function openSocketLoad(
  url: string,
  count: number,
  trackingIdOf: (n: number) => string,
): Promise<SocketLoad> {
  let received = 0
  const sockets: WebSocket[] = []
  const open = async (n: number) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/v1/?EIO=4&transport=websocket`, {
      perMessageDeflate: false,
      skipUTF8Validation: true,
    })
    sockets.push(socket)
    const subscription = JSON.stringify(['subscribe', { trackingId: trackingIdOf(n) }])
    const ready = new Promise<void>((resolve, reject) => {
      socket.on('error', reject)
      socket.on('message', (data: Buffer) => {
        // The first bytes tell all: 42["payment" is what there is most of.
        if (data[0] === 0x34 && data[1] === 0x32 && data[4] === 0x70) return void received++
        const text = data.toString()
        if (text === '2') return socket.send('3')
        if (text.startsWith('0')) return socket.send('40')
        if (text.startsWith('40')) return socket.send(`42${subscription}`)
        if (text.startsWith('42["ack"')) resolve()
        if (text.startsWith('42["error"') || text.startsWith('44')) reject(new Error(text))
      })
    })
    await once(socket, 'open')
    await ready
  }
  for (let n = 0; n < count; n += 100) {
    await Promise.all(Array.from({ length: Math.min(100, count - n) }, (_, index) => open(n + index)))
  }
  return {
    received: () => received,
    onPayment(listener) {
      for (const socket of sockets)
        socket.on('message', (bytes: Buffer) => {
          const text = bytes.toString()
          if (!text.startsWith('42["payment"')) return
          const [, { data }] = JSON.parse(text.slice(2)) as [string, PaymentMessage]
          listener(data)
        })
    },
    close: () => sockets.forEach(socket => socket.terminate()),
  }
}
