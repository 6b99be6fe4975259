import { styleText } from 'node:util'
import { USDC } from '../tokens.js'
import { STAGES, type TrackedPayment } from './track-payments.js'

type Style = Parameters<typeof styleText>[0]

/** Colours belong on a terminal that has them. Node looks at TERM, CI and NO_COLOR (https://no-color.org). */
const isColoured = process.stdout.isTTY && process.stdout.hasColors()

const paint = (style: Style, text: string): string => (isColoured ? styleText(style, text) : text)

/** The legend comes again after this many payments, so that it stays in sight. */
export const LEGEND_EVERY = 20

export const renderLegend = (): string =>
  paint('dim', '      amount  tracking ID     merchant           how long to REST, to a socket, to a webhook')

const inTokens = (amount: bigint): string =>
  `${(Number(amount) / 10 ** USDC.decimals).toFixed(2)} ${USDC.symbol}`

export const renderPayment = ({ trackingId, amount, merchant, delaysMs }: TrackedPayment): string =>
  [
    paint('green', inTokens(amount).padStart(12)),
    `  ${trackingId.padEnd(15)} ${merchant.padEnd(17)}`,
    ...STAGES.map(stage => ` ${paint('dim', stage)} ${String(delaysMs[stage]).padStart(4)} ms`),
  ].join('')

export const renderStory = (story: string): string => paint('dim', `              ${story}`)

/** Where to look while the demo plays, and how it ends. */
export function renderLinks(
  baseUrl: string,
  { gateways, isEndless }: { gateways: readonly string[]; isEndless: boolean },
): string {
  const [gateway = ''] = gateways
  return [
    `see it live     ${baseUrl}/console/payments`,
    'its subscribers',
    `  ${baseUrl}/console/subscriptions?gateway=${gateway}`,
    ...(isEndless ? ['Ctrl-C ends the demo; npm start goes on.'] : []),
  ].join('\n')
}
