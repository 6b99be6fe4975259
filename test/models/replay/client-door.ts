// The way of one client to the pods: it is cut, and whoever comes again waits until a pod is chosen.
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

export class ClientDoor {
  readonly #server: Server
  /** Both ends of each connection. */
  readonly #open = new Set<Socket>()
  #waiting: Socket | null = null
  #port: number | null = null
  /** of the connections that lead to the pod, the latest */
  #latest: Socket | null = null

  constructor() {
    this.#server = createServer(socket => {
      this.#keep(socket)
      if (this.#port === null) this.#waiting = socket
      else this.#lead(socket, this.#port)
    })
  }

  async listen(): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get isOpen(): boolean {
    return this.#port !== null
  }

  /** Leads the client to a pod. */
  admit(port: number): void {
    this.#port = port
    if (this.#waiting !== null) this.#lead(this.#waiting, port)
    this.#waiting = null
  }

  cut(): void {
    this.#port = null
    this.#waiting = null
    for (const socket of this.#open) socket.destroy()
    this.#open.clear()
  }

  close(): void {
    this.cut()
    this.#server.close()
  }

  #keep(socket: Socket): void {
    this.#open.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {})
  }

  #lead(socket: Socket, port: number): void {
    const onward = connect(port, '127.0.0.1')
    this.#keep(onward)
    this.#latest = onward
    socket.pipe(onward).pipe(socket)
    // A pod that ends a connection has the client come again, to wait here.
    onward.once('close', () => {
      if (!this.#open.has(onward)) return
      if (this.#latest === onward) this.#port = null
      socket.destroy()
    })
  }
}
