/** The default public key: what a payment that belongs to no policy names as its policy. */
export const DIRECT_TRANSFER_POLICY = '11111111111111111111111111111111'
