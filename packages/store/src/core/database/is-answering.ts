import { withClient } from './with-client.js'

const PATIENCE_MS = 2_000

/** Why Postgres cannot be used; `code` is an SQLSTATE such as 3D000 (no such database) or such as ECONNREFUSED. */
interface ConnectProblem {
  code?: string
  message: string
}

/** @returns undefined when Postgres accepts a connection to this database and runs a statement */
export const findConnectProblem = (databaseUrl: string): Promise<ConnectProblem | undefined> =>
  withClient({ connectionString: databaseUrl, connectionTimeoutMillis: PATIENCE_MS }, client =>
    client.query('select 1'),
  ).then(
    () => undefined,
    (error: Error & { code?: string }) => error,
  )

/** Whether Postgres accepts connections and runs statements. An open port is no proof: Postgres may be starting. */
export const isPostgresAnswering = async (databaseUrl: string): Promise<boolean> =>
  (await findConnectProblem(databaseUrl)) === undefined
