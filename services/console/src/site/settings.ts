// What the server put into the page: `files/insert-settings.ts`.
const { environment = '', explorer = '' } = document.documentElement.dataset

/** Without a server of ours, in `npm run dev`, nothing is put in. */
export const ENVIRONMENT = environment === '' ? 'development' : environment
export const IS_PRODUCTION = ENVIRONMENT === 'production'
/** `npm start -- --demo`: nothing that the pages show happened on a chain. */
export const IS_DEMO = ENVIRONMENT === 'demo'
export const ENVIRONMENT_NAME = IS_DEMO ? 'DEMO' : ENVIRONMENT

/** The page of a block explorer, if the operator has chosen one. Nothing is asked of it before somebody follows the link. */
export const explorerLink = (kind: 'address' | 'tx', value: string): string | null =>
  explorer === ''
    ? null
    : explorer.replaceAll('{kind}', kind).replaceAll('{value}', encodeURIComponent(value))
