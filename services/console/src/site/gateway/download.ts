import { ask } from '../api/request.js'

export interface NamedFile {
  name: string
  text: string
}

/** A file of the service, by the name that the service gives it: the name says its span. */
export async function askFile(
  request: Promise<{ data?: string; error?: unknown; response: Response }>,
): Promise<NamedFile> {
  const text = await ask(request)
  const given = (await request).response.headers.get('content-disposition') ?? ''
  return { name: /filename="([^"]+)"/.exec(given)?.[1] ?? 'export.csv', text }
}

/** Offers a text as a file. */
export function download({ name, text }: NamedFile): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
