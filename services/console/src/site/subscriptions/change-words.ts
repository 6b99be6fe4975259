/** The name of a status: `{"variant": "Paused"}`, `{"Paused": null}` or `"Paused"`. */
function statusName(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return null
  const { variant } = value as { variant?: unknown }
  return typeof variant === 'string' ? variant : (Object.keys(value)[0] ?? null)
}

/** What an event did, in words; the event's own name where this page knows none. */
export function changeWords(eventName: string, data: unknown): string {
  if (/PolicyCreated$/.test(eventName)) return 'Created'
  if (/PolicyDeleted$/.test(eventName)) return 'Deleted'
  if (!/StatusChanged$/.test(eventName)) return eventName
  const { old_status: from, new_status: to } = data as Record<string, unknown>
  const [was, is] = [statusName(from), statusName(to)]
  if (is === null) return 'Status changed'
  return was === null ? `Became ${is.toLowerCase()}` : `From ${was.toLowerCase()} to ${is.toLowerCase()}`
}
