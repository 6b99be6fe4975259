/** USDC on Solana's main network: the token that the local commands pay in, because every installation can name it. */
export const USDC = { mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', symbol: 'USDC', decimals: 6 }
