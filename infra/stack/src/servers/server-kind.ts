import type { StdioOptions } from 'node:child_process'
import type { SearchPlaces } from './find-program.js'

/** Where one server lives and what it may use. */
export interface ServerPlace extends SearchPlaces {
  dataDir: string
  /** Of every private server of this data directory; nobody else on the machine may come in. */
  password: string
  /** False for tests: the data survives a killed server, but not a machine that loses power. */
  durable: boolean
  /** True: not the usual port but one that stays free while the server is down. */
  quietPort: boolean
}

export interface ServerCommand {
  file: string
  args: string[]
  env?: Record<string, string>
  uid?: number
  gid?: number
  stdio?: StdioOptions
}

/** What sets one server apart from the others; `openServer` does what they have in common. */
export interface ServerKind {
  name: 'postgres' | 'redis' | 'nats'
  title: string
  /** Where it listens when that port is free. */
  usualPort: number
  /** How it is asked to stop. */
  stopSignal: NodeJS.Signals
  /** Finds the program and makes its data directory. Called once. @throws ServerMissingError */
  prepare(place: ServerPlace): Promise<PreparedServer>
}

export interface PreparedServer {
  /** Writes what the server reads at its start, and clears away what a killed one left. */
  command(port: number): ServerCommand
  url(port: number): string
  /** Whether it answers on this port, in its own protocol, to our password. */
  answers(port: number): Promise<boolean>
}
