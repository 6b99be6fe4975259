import { useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ENVIRONMENT_NAME, IS_PRODUCTION } from '../settings.js'
import { FindBox } from '../find/find-box.js'
import { Icon, type IconName } from '../show/icon.js'
import { Account } from './account.js'

const SECTIONS: readonly { href: string; title: string; icon: IconName }[] = [
  { href: '/', title: 'Overview', icon: 'overview' },
  { href: '/payments', title: 'Payments', icon: 'payments' },
  { href: '/expected', title: 'Expected', icon: 'expected' },
  { href: '/subscriptions', title: 'Subscriptions', icon: 'subscriptions' },
  { href: '/customers', title: 'Customers', icon: 'customers' },
  { href: '/revenue', title: 'Revenue', icon: 'revenue' },
  { href: '/endpoints', title: 'Endpoints', icon: 'endpoints' },
  { href: '/keys', title: 'API keys', icon: 'keys' },
  { href: '/changes', title: 'Activity', icon: 'changes' },
  { href: '/settings', title: 'Settings', icon: 'settings' },
]

/** A bar that opens on a phone; a column that is always there on a desk. */
export function Menu() {
  const [isOpen, setOpen] = useState(false)
  const [location] = useLocation()
  useEffect(() => setOpen(false), [location])
  const close = () => setOpen(false)
  const isCurrent = (href: string) =>
    href === '/' ? location === '/' : location === href || location.startsWith(`${href}/`)
  return (
    <header className="bar" onKeyDown={event => event.key === 'Escape' && close()}>
      <div className="brand">
        <Link href="/" aria-label="Payment tracking, overview">
          <img src={`/console/${IS_PRODUCTION ? 'icon' : 'icon-other'}.svg`} alt="" width="26" height="26" />
          <span className="name">Payment tracking</span>
        </Link>
        <span className="environment" title={`environment ${ENVIRONMENT_NAME}`}>
          {ENVIRONMENT_NAME}
        </span>
        <button
          type="button"
          className="menu outline"
          aria-expanded={isOpen}
          aria-controls="menu"
          onClick={() => setOpen(!isOpen)}
        >
          Menu
        </button>
        <FindBox />
      </div>
      <div id="menu" className={`panel-of-menu${isOpen ? ' open' : ''}`}>
        <nav aria-label="Console">
          <ul className="sections">
            {SECTIONS.map(({ href, title, icon }) => (
              <li key={href}>
                <Link href={href} aria-current={isCurrent(href) ? 'page' : undefined} onClick={close}>
                  <Icon name={icon} />
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <Account onDone={close} />
      </div>
    </header>
  )
}
