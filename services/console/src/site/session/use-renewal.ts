import { useState } from 'react'
import { signByWallet } from './sign-by-wallet.js'
import { useSession } from './session.js'
import { useWallets } from './use-wallets.js'

export interface Renewal {
  renew: () => void
  isBusy: boolean
  /** why the last attempt failed */
  error: string | null
}

/** Signs in again by the same wallet, beside the page that is open; null where no wallet signed in. */
export function useRenewal(): Renewal | null {
  const { session, renew } = useSession()
  const wallet = useWallets().find(({ name }) => name === session?.wallet)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  if (!session || !wallet) return null
  const run = async () => {
    setBusy(true)
    setError(null)
    try {
      renew(await signByWallet(session.gateway, wallet))
    } catch (reason) {
      setError((reason as Error).message || 'The wallet refused.')
    } finally {
      setBusy(false)
    }
  }
  return { renew: () => void run(), isBusy, error }
}
