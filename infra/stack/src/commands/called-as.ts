/** Set by the build of the packed dev kit (infra/dev-kit). */
declare const PACKED: boolean | undefined

/** How people call a command: as a script of the repository, or as the command of the packed dev kit. */
export function calledAs(command: string, args = ''): string {
  if (typeof PACKED !== 'undefined') return `npx payment-tracking ${command} ${args}`.trim()
  return args === '' ? `npm run ${command}` : `npm run ${command} -- ${args}`
}
