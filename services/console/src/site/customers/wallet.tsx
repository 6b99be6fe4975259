import { useSession } from '../session/session.js'
import { Key } from '../show/values.js'

/** A wallet of the gateway that is signed in. */
export const CustomerKey = ({ value }: { value: string | null }) =>
  value === null ? <Key value={null} /> : <Key value={value} href={`/customers/${value}`} />

/**
 * A wallet that pays. It leads to the customer where it pays the gateway that is signed in, and else to what it pays.
 * @param gateway that it pays
 */
export function Wallet({ value, gateway }: { value: string | null | undefined; gateway: unknown }) {
  const { session } = useSession()
  if (!value) return <Key value={value} />
  const everybody = session === null ? '' : '&of=all'
  return (
    <Key
      value={value}
      href={gateway === session?.gateway ? `/customers/${value}` : `/payments?q=${value}${everybody}`}
    />
  )
}
