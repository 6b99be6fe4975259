import { useState, type FormEvent } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { forgetList, keepList, useKeptLists } from './kept-lists.js'

/** Pages of lists with filters. */
const LISTS = /^\/(?:payments|subscriptions|customers|expected|revenue|changes|endpoints\/\d+)$/

/** The lists of this page that were saved, and a name for the one that is shown. */
export function SavedLists() {
  const [path] = useLocation()
  const filters = useSearch()
  const saved = useKeptLists().filter(each => each.path === path)
  const [name, setName] = useState('')
  if (!LISTS.test(path) || (filters === '' && saved.length === 0)) return null
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') return
    keepList({ name: name.trim(), path, filters })
    setName('')
  }
  return (
    <details className="saved">
      <summary>Saved lists</summary>
      {saved.length > 0 && (
        <ul className="hits">
          {saved.map(list => (
            <li key={list.name} className="row">
              <Link
                href={`${list.path}${list.filters === '' ? '' : `?${list.filters}`}`}
                aria-current={list.filters === filters ? 'true' : undefined}
              >
                {list.name}
              </Link>
              <button
                type="button"
                className="outline"
                aria-label={`Delete the saved list ${list.name}`}
                onClick={() => forgetList(list)}
              >
                Delete
              </button>
            </li>
          ))}
        </ul>
      )}
      {filters !== '' && (
        <form className="line" onSubmit={save}>
          <input
            required
            aria-label="Name of this list"
            placeholder="Name of this list"
            maxLength={60}
            value={name}
            onChange={event => setName(event.target.value)}
          />
          <button type="submit">Save this list</button>
        </form>
      )}
      <p className="quiet small">Saved in this browser alone.</p>
    </details>
  )
}
