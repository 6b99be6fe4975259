// Filters stand in the address, so that a list can be kept, shared and gone back to.
import { useCallback } from 'react'
import { useSearchParams } from 'wouter'

/**
 * One filter of a list.
 * @param resets other filters that begin again with this one, such as the page
 */
export function useFilter(
  name: string,
  usual = '',
  resets: readonly string[] = [],
): [string, (value: string) => void] {
  const [parameters, setParameters] = useSearchParams()
  const others = resets.join(' ')
  const set = useCallback(
    (value: string) =>
      setParameters(
        before => {
          const next = new URLSearchParams(before)
          if (value === usual) next.delete(name)
          else next.set(name, value)
          for (const other of others.split(' ')) next.delete(other)
          return next
        },
        // Each letter that is typed would be a step back.
        { replace: true },
      ),
    [setParameters, name, usual, others],
  )
  return [parameters.get(name) ?? usual, set]
}

/** A filter with a closed list of values: anything else in the address is the usual one. */
export function useChoice<T extends string>(
  name: string,
  values: readonly T[],
  usual: T,
  resets: readonly string[] = [],
): [T, (value: T) => void] {
  const [value, set] = useFilter(name, usual, resets)
  return [values.find(each => each === value) ?? usual, set]
}
