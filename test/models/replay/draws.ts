// What decides which traces are drawn.

export const SEED = Number(process.env.SEED ?? 1)
/** How many times as many traces as the gate draws. */
export const TIMES = Number(process.env.TRACES_TIMES ?? 1)
/** Whose traces are known to notice each break. */
export const BREAKS_SEED = 1
/** Whether breaks of the code are planted too: they test the replays, and not the code. */
export const PLANTS_BREAKS = process.env.PLANT_BREAKS === '1'
