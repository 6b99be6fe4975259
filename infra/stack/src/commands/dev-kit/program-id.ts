import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'

/** The program whose events the running stack accepts: `PROGRAM_ID`, as the services read it. */
export const programIdOf = (env: NodeJS.ProcessEnv): string => env.PROGRAM_ID?.trim() || DEFAULT_PROGRAM_ID
