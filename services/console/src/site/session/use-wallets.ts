// The wallets of this browser that can sign a message on Solana, by the Wallet Standard.
import { getWallets } from '@wallet-standard/app'
import type { Wallet, WalletAccount } from '@wallet-standard/base'
import { useEffect, useState } from 'react'

/** The parts of the two features that a sign-in needs. */
interface Connect {
  connect: () => Promise<{ accounts: readonly WalletAccount[] }>
}
interface SignMessage {
  signMessage: (input: {
    account: WalletAccount
    message: Uint8Array
  }) => Promise<readonly { signature: Uint8Array }[]>
}

const isSuitable = ({ features }: Wallet): boolean =>
  'standard:connect' in features && 'solana:signMessage' in features

export function useWallets(): readonly Wallet[] {
  const [wallets, setWallets] = useState<readonly Wallet[]>([])
  useEffect(() => {
    const registry = getWallets()
    const read = () => setWallets(registry.get().filter(isSuitable))
    read()
    const stops = [registry.on('register', read), registry.on('unregister', read)]
    return () => stops.forEach(stop => stop())
  }, [])
  return wallets
}

/**
 * Connects the wallet, and returns its key with a function that signs a text by it.
 * @throws Error when the wallet shares no account; whatever the wallet throws when its owner refuses
 */
export async function connectWallet(wallet: Wallet) {
  const { connect } = wallet.features['standard:connect'] as Connect
  const { signMessage } = wallet.features['solana:signMessage'] as SignMessage
  const { accounts } = await connect()
  const account = accounts.find(({ features }) => features.includes('solana:signMessage')) ?? accounts[0]
  if (!account) throw new Error(`${wallet.name} shared no account.`)
  return {
    signer: account.address,
    sign: async (text: string): Promise<number[]> => {
      const [output] = await signMessage({ account, message: new TextEncoder().encode(text) })
      return [...output!.signature]
    },
  }
}
