import { BASE_URL_PATHS, SOCKET_PATH } from '@payment-tracking/contracts'
import type { StackFile } from './stack-file.js'

/** Lines are not wider than this, so that a usual terminal does not break them. */
const COLUMNS = 100
const INDENT = ' '.repeat(16)

/** `ingest 127.0.0.1:41001, api 127.0.0.1:41002, …`, in as many lines as it needs. */
function managementPorts({ services }: StackFile): string {
  const lines: string[] = []
  for (const { name, managementUrl } of services) {
    if (!managementUrl) continue
    const entry = `${name} ${new URL(managementUrl).host}`
    const last = lines.at(-1)
    if (last !== undefined && `${INDENT}${last}, ${entry},`.length <= COLUMNS)
      lines[lines.length - 1] = `${last}, ${entry}`
    else lines.push(entry)
  }
  return lines.join(`,\n${INDENT}`)
}

const USUAL_DATA_DIR = '.data'

/** The first commands to try, printed once everything is ready. */
export function renderGuide(
  stack: StackFile,
  options: {
    allowsPrivateTargets: boolean
    followsChain: boolean
    demo?: { keyFile: string; signInLink: string | undefined } | undefined
    /** as it was given; other commands find the stack by it */
    dataDir?: string
  },
): string {
  const { baseUrl } = stack
  const { dataDir = USUAL_DATA_DIR, demo } = options
  const isUsual = dataDir === USUAL_DATA_DIR
  return [
    '',
    ...(demo
      ? [
          'DEMO: a made-up market is playing. Its payments are no payments of any chain.',
          `All of it is in ${dataDir}; to remove it, stop this and run:  rm -rf "${dataDir}"`,
          ...(demo.signInLink === undefined
            ? ['To sign in to the console as its gateway, open the link that this prints:']
            : [
                'This link signs in to the console as its gateway, once, within 15 minutes:',
                `  ${demo.signInLink}`,
                'This prints another:',
              ]),
          ...(isUsual ? [] : [`  export DATA_DIR="${dataDir}"`]),
          `  npm run --silent sign-in -- --link --key "${demo.keyFile}"`,
          '',
        ]
      : []),
    `Open first:  ${baseUrl}${BASE_URL_PATHS.console[0]}/`,
    'Try it, in another terminal:',
    ...(isUsual ? [] : [`  export DATA_DIR="${dataDir}"`]),
    `  export BASE_URL=${baseUrl}`,
    "  curl -sw '\\n' $BASE_URL/v1/health",
    '  npm run demo                       a lively feed of payments, and what becomes of each',
    '  npm run sample                     ninety days of a small shop, so that no page is empty',
    '  curl -sw \'\\n\' "$BASE_URL/v1/events?limit=3"',
    "  curl -sw '\\n' $BASE_URL/v1/events/payments/stats",
    '',
    `console         ${baseUrl}${BASE_URL_PATHS.console[0]}/`,
    `REST reference  ${baseUrl}/docs/`,
    `real-time       Socket.IO at ${baseUrl}, path ${SOCKET_PATH}, websocket only`,
    `ops dashboard   ${stack.opsUrl}  (token ${stack.opsToken})`,
    'management      /healthz, /readyz and /metrics of each process:',
    `${INDENT}${managementPorts(stack)}`,
    options.followsChain
      ? 'chain           followed by the indexer; its progress is shown here'
      : 'chain           not followed; to follow it: SOLANA_RPC_URLS=https://node,https://another npm start',
    '',
    ...(options.allowsPrivateTargets
      ? [
          'NOTE: webhooks may point at this machine and its network (WEBHOOK_ALLOW_PRIVATE_TARGETS is on),',
          'because the base URL listens on loopback only. Never expose this port.',
          '',
        ]
      : []),
    'Ctrl-C stops everything; the data stays.',
  ].join('\n')
}
