import pg from 'pg'

const PATIENCE_MS = 2_000

/** Why Postgres cannot be used; `code` is an SQLSTATE such as 3D000 (no such database) or such as ECONNREFUSED. */
interface ConnectProblem {
  code?: string
  message: string
}

/** @returns undefined when Postgres accepts a connection to this database and runs a statement */
export async function findConnectProblem(databaseUrl: string): Promise<ConnectProblem | undefined> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: PATIENCE_MS })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return undefined
  } catch (error) {
    return error as Error & { code?: string }
  } finally {
    await client.end().catch(() => {})
  }
}

/** Whether Postgres accepts connections and runs statements. An open port is no proof: Postgres may be starting. */
export const isPostgresAnswering = async (databaseUrl: string): Promise<boolean> =>
  (await findConnectProblem(databaseUrl)) === undefined
