import { HOUSE_TOKENS } from '@payment-tracking/runtime'

/**
 * The reference in the colours of the other pages. Scalar reads these names; it puts `light-mode` or `dark-mode` on the
 * body by its own switch.
 */
export const REFERENCE_STYLE = `${HOUSE_TOKENS}
.light-mode { color-scheme: light; }
.dark-mode { color-scheme: dark; }
.light-mode, .dark-mode {
  --scalar-background-1: var(--surface);
  --scalar-background-2: var(--page);
  --scalar-background-3: var(--sunken);
  --scalar-background-accent: var(--accent-soft);
  --scalar-border-color: var(--line);
  --scalar-color-1: var(--text);
  --scalar-color-2: var(--quiet);
  --scalar-color-3: var(--quiet);
  --scalar-color-accent: var(--accent);
  --scalar-link-color: var(--accent);
  --scalar-link-color-hover: var(--accent);
  --scalar-color-green: var(--good);
  --scalar-color-red: var(--bad);
  --scalar-color-yellow: var(--wait);
  --scalar-color-orange: var(--wait);
  --scalar-color-blue: var(--accent);
  --scalar-color-purple: var(--series-2);
  --scalar-button-1: var(--button);
  --scalar-button-1-hover: var(--button-hover);
  --scalar-button-1-color: #fff;
  --scalar-font: var(--sans);
  --scalar-font-code: var(--mono);
  --scalar-radius: var(--radius);
  --scalar-sidebar-background-1: var(--page);
  --scalar-sidebar-color-1: var(--text);
  --scalar-sidebar-color-2: var(--quiet);
  --scalar-sidebar-color-active: var(--accent);
  --scalar-sidebar-item-active-background: var(--accent-soft);
  --scalar-sidebar-item-hover-background: var(--sunken);
  --scalar-sidebar-item-hover-color: var(--text);
  --scalar-sidebar-border-color: var(--line);
  --scalar-sidebar-search-background: var(--surface);
  --scalar-sidebar-search-border-color: var(--line);
  --scalar-sidebar-search-color: var(--quiet);
}
`
