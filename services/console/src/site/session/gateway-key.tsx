import { Key } from '../show/values.js'
import { useGatewayName } from './use-gateway-name.js'

/** A gateway by the name that it gave itself, if any: the key beside it is what counts, anybody can take any name. */
export function GatewayKey({ value }: { value: string | null | undefined }) {
  return value ? <Named value={value} /> : <Key value={value} />
}

function Named({ value }: { value: string }) {
  const name = useGatewayName(value)
  return (
    <>
      {name && <bdi>{name}</bdi>} <Key value={value} />
    </>
  )
}
