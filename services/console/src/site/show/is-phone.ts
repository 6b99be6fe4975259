/** Whether a row of a list is a card here, as the styles of tables have it. */
export const isPhone = (): boolean => matchMedia('(max-width: 40rem)').matches
