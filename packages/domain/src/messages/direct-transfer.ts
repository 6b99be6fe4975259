/** The default public key, which a payment without a policy names as its policy. */
export const DIRECT_TRANSFER_POLICY = '11111111111111111111111111111111'
