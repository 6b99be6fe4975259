/** The first minor version of each major one that will do. Prisma refuses 21 and 23, which had no long support. */
const FIRST_MINORS = { 20: 19, 22: 12 }
/** From this major version on, every version will do. */
const ALL_FROM = 24

/**
 * @param version of Node, such as `22.3.0`
 * @returns one line; undefined when the version will do
 */
export function findNodeProblem(version) {
  const [major, minor] = version.split('.').map(Number)
  if (major >= ALL_FROM || minor >= FIRST_MINORS[major]) return undefined
  return `Node.js 20.19, 22.12 or 24, or a later version of these, is needed; this is ${version}`
}
