/** How many rows a list begins with: fewer on a phone, where each is a card. */
export const pageLength = (usual: number): number =>
  matchMedia('(max-width: 40rem)').matches ? Math.min(usual, 25) : usual
