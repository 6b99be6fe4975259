// How every page for people looks: the base URL's, the console's, the ops dashboard's and the reference's.

/**
 * Colours, spaces and sizes as custom properties of CSS. Each colour is a pair: light and dark by `color-scheme`. Text on
 * its background has a contrast of at least 4.5 in both; the browser tests check it by axe.
 */
export const HOUSE_TOKENS = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f6f7f9, #0e1116);
  --surface: light-dark(#ffffff, #161a21);
  --sunken: light-dark(#eef0f4, #1e242d);
  --line: light-dark(#dfe3e9, #2b323d);
  --line-strong: light-dark(#868e9a, #6b7482);
  --text: light-dark(#171a20, #e7eaf0);
  --quiet: light-dark(#535a66, #a3abb8);
  --accent: light-dark(#4338ca, #aab4ff);
  --accent-soft: light-dark(#eceafd, #23254a);
  --button: light-dark(#4338ca, #5253d6);
  --button-hover: light-dark(#362da8, #4647c0);
  --good: light-dark(#0a6b32, #6fd08c);
  --good-soft: light-dark(#e4f4e9, #122a1b);
  --bad: light-dark(#a8071a, #ff9c93);
  --bad-soft: light-dark(#fdeaea, #36181a);
  --wait: light-dark(#7a4d00, #f0c36d);
  --wait-soft: light-dark(#fbf1dc, #2f240d);
  --series-1: light-dark(#4f46e5, #8f96ff);
  --series-2: light-dark(#0e7490, #4cc3d9);
  --space-1: 0.25rem;
  --space-2: 0.5rem;
  --space-3: 0.75rem;
  --space-4: 1rem;
  --space-5: 1.5rem;
  --space-6: 2rem;
  --space-7: 3rem;
  --text-small: 0.8125rem;
  --text-body: 0.9375rem;
  --text-large: 1.125rem;
  --text-title: 1.5rem;
  --text-figure: 1.75rem;
  --radius: 0.5rem;
  --touch: 2.75rem;
  --sans: system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif;
  --mono: ui-monospace, 'SF Mono', 'Cascadia Code', 'DejaVu Sans Mono', monospace;
}
:root[data-theme='light'] {
  color-scheme: light;
}
:root[data-theme='dark'] {
  color-scheme: dark;
}
`

/** For an environment that is not production: its pages must not be taken for those of production. */
export const isProduction = (environment: string): boolean => environment === 'production'

/** How pages name it: what a demo shows must not be taken for anything else. */
export const environmentName = (environment: string): string =>
  environment === 'demo' ? 'DEMO' : environment
