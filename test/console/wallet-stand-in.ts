// A wallet of the Wallet Standard in the page. Its key stays outside of the page and signs for real.
import { sign, type KeyObject } from 'node:crypto'
import type { BrowserContext } from 'playwright-core'

export interface WalletKey {
  publicKey: string
  privateKey: KeyObject
}

/** Registers the wallet as an extension would, before the scripts of each page run. */
export async function addWallet(context: BrowserContext, key: WalletKey): Promise<void> {
  await context.exposeBinding('signByStandIn', (_source, bytes: number[]) => [
    ...sign(null, Buffer.from(bytes), key.privateKey),
  ])
  await context.addInitScript(`(${register.toString()})(${JSON.stringify(key.publicKey)})`)
}

interface Api {
  register: (wallet: unknown) => void
}

/** Runs in the page. */
function register(publicKey: string): void {
  const { signByStandIn } = globalThis as unknown as {
    signByStandIn: (bytes: number[]) => Promise<number[]>
  }
  const account = {
    address: publicKey,
    publicKey: new Uint8Array(32),
    chains: ['solana:mainnet'],
    features: ['solana:signMessage'],
  }
  const wallet = {
    version: '1.0.0',
    name: 'Test Wallet',
    icon: 'data:image/svg+xml;base64,',
    chains: ['solana:mainnet'],
    accounts: [],
    features: {
      'standard:connect': { version: '1.0.0', connect: () => Promise.resolve({ accounts: [account] }) },
      'solana:signMessage': {
        version: '1.0.0',
        signMessage: async ({ message }: { message: Uint8Array }) => [
          { signedMessage: message, signature: Uint8Array.from(await signByStandIn([...message])) },
        ],
      },
    },
  }
  const announce = ({ register }: Api) => register(wallet)
  window.addEventListener('wallet-standard:app-ready', event =>
    announce((event as unknown as { detail: Api }).detail),
  )
  window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: announce }))
}
