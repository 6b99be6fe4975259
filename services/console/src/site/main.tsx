import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { App } from './app.js'
import { RequestError } from './api/request.js'
import { TokensProvider } from './api/tokens.js'
import { SessionProvider } from './session/session.js'
import { IS_PRODUCTION } from './settings.js'
import { applyStoredDensity } from './show/density.js'
import { applyStoredTheme } from './shell/theme.js'
import 'uplot/dist/uPlot.min.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/controls.css'
import './styles/tables.css'
import './styles/parts.css'
import './styles/charts.css'

applyStoredTheme()
applyStoredDensity()
document.body.classList.toggle('other', !IS_PRODUCTION)

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A refusal stays a refusal; a lost connection or an outage may pass.
      retry: (failures, error) =>
        failures < 2 && !(error instanceof RequestError && error.status >= 400 && error.status < 500),
    },
  },
})

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <SessionProvider>
        <TokensProvider>
          <Router base="/console">
            <App />
          </Router>
        </TokensProvider>
      </SessionProvider>
    </QueryClientProvider>
  </StrictMode>,
)
