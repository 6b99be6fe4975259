import { queryOnce } from '@payment-tracking/testkit'

/** Appends events as ingest numbers them. `slot` is the position, and newer events are later. @returns the new head */
export async function appendEvents(databaseUrl: string, count: number): Promise<bigint> {
  const rows = await queryOnce<{ position: string }>(
    databaseUrl,
    `with head as (update stream_head set position = position + ${count} returning position),
     numbered as (select position - ${count} + n as at from head, generate_series(1, ${count}) n)
     insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint,
                         stream_sequence)
     select gen_random_uuid(), at, at, 's', 0, 'Other', '{}', 'confirmed',
            timestamptz '2026-01-01' + at * interval '1 s', gen_random_uuid(), at
       from numbered returning position`,
  )
  return BigInt(rows.at(-1)!.position)
}
