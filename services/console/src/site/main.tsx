import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { App } from './app.js'
import { RequestError } from './api/request.js'
import { SessionProvider } from './session/session.js'
import './style.css'

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
        <Router base="/console">
          <App />
        </Router>
      </SessionProvider>
    </QueryClientProvider>
  </StrictMode>,
)
