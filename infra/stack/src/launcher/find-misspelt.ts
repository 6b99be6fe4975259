// Finds settings whose name is misspelt, so that no service reads them.
import leven from 'leven'

/** This many letters may be wrong, missing or too many. */
const FARTHEST = 2
/** In shorter names, two letters are too large a difference. */
const SHORTEST = 6

/**
 * @param env the environment
 * @param known the name of every setting
 * @returns a line for each variable whose name is almost the name of an unset setting
 */
export function findMisspelt(env: NodeJS.ProcessEnv, known: readonly string[]): string[] {
  const settings = new Set(known)
  return Object.keys(env)
    .filter(name => /^[A-Z][A-Z0-9_]*$/.test(name) && name.length >= SHORTEST && !settings.has(name))
    .flatMap(name => {
      const [nearest] = known
        .filter(setting => setting.length >= SHORTEST && env[setting] === undefined)
        .map(setting => ({ setting, distance: leven(name, setting) }))
        .filter(({ distance }) => distance <= FARTHEST)
        .sort((a, b) => a.distance - b.distance)
      return nearest ? [`${name} is no setting and is ignored; did you mean ${nearest.setting}?`] : []
    })
}
