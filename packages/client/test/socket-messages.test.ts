// The client's own types are those of the service: this file does not compile when they differ.
import * as contracts from '@payment-tracking/contracts'
import t from 'tap'
import * as client from '../src/socket-messages.js'

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
type DataOf<F> = F extends (message: infer M) => void ? (M extends { data: infer D } ? D : never) : never
type Received = keyof client.ServerToClientEvents

const isSame: {
  payment: Same<client.SocketPayment, contracts.SocketPayment>
  retraction: Same<client.SocketRetraction, contracts.SocketRetraction>
  codes: Same<client.SocketErrorCode, contracts.SocketErrorCode>
  reply: Same<client.SubscribeReply, contracts.SubscribeReply>
  events: {
    [E in Received]: Same<DataOf<client.ServerToClientEvents[E]>, DataOf<contracts.ServerToClientEvents[E]>>
  }
} = {
  payment: true,
  retraction: true,
  codes: true,
  reply: true,
  events: { payment: true, retraction: true, error: true, reconnect: true },
}

t.test('path and codes are those of the service', async t => {
  t.equal(client.SOCKET_PATH, contracts.SOCKET_PATH)
  t.ok(isSame.payment)
})
