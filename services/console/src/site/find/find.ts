import { apiOf, ask } from '../api/request.js'
import { withoutTwins, type Found } from './find-path.js'

/** What a text names, as all search boxes find it. A tracking ID may begin and end with blanks; nothing else that can be found does. */
export const find = async (text: string): Promise<Found[]> => {
  const found = withoutTwins(await ask(apiOf().GET('/v1/search', { params: { query: { q: text } } })))
  return found.length > 0 || text === text.trim() ? found : find(text.trim())
}
