import pg from 'pg'

const PATIENCE_MS = 2_000

/** Whether Postgres takes connections and runs statements. An open port alone is no proof: Postgres may be starting. */
export async function isPostgresAnswering(databaseUrl: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: PATIENCE_MS })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}
