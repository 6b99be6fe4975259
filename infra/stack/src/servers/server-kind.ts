import type { StdioOptions } from 'node:child_process'
import type { SearchPaths } from './find-program.js'

/** What one server is started with. */
export interface ServerSetup extends SearchPaths {
  dataDir: string
  /** The password of every private server in this data directory; keeps other users of the machine out. */
  password: string
  /** False for tests: the data survives a killed server, but not a machine that loses power. */
  durable: boolean
  /** True: a port that stays free while the server is down, instead of the usual port. */
  quietPort: boolean
  /** What the subjects of events may begin with, for NATS. */
  subjectPrefixes: readonly string[]
}

export interface ServerCommand {
  file: string
  args: string[]
  env?: Record<string, string>
  uid?: number
  gid?: number
  stdio?: StdioOptions
}

/** The differences between the servers; `openServer` does the common part. */
export interface ServerKind {
  name: 'postgres' | 'redis' | 'nats'
  title: string
  /** The port of the server when that port is free. */
  usualPort: number
  /** The signal that stops the server. */
  stopSignal: NodeJS.Signals
  /** Finds the program and makes its data directory. Called once. @throws ServerMissingError */
  prepare(setup: ServerSetup): Promise<PreparedServer>
}

export interface PreparedServer {
  /** Writes the server's start files, and removes the remains of a killed server. */
  command(port: number): ServerCommand
  url(port: number): string
  /** Whether the server answers on this port, in its own protocol, to the password. */
  answers(port: number): Promise<boolean>
}
