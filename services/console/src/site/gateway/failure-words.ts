/** Why a delivery failed or waits, as people say it. @param reason as the service stores it */
export const failureWords = (reason: string | null): string | null =>
  reason === 'breaker open' ? 'waits after failures' : reason
