import type UPlot from 'uplot'
import { isGap, type ChartData } from './chart-series.js'

/** Between two lines of the hatching, in CSS pixels. */
const BETWEEN = 8

/** Hatches the times of which nothing is known, so that a gap looks otherwise than a zero. */
export function hatchGaps(plot: UPlot, data: ChartData, colour: string): void {
  const { ctx, bbox } = plot
  const step = (data.times[1] ?? 0) - (data.times[0] ?? 0)
  const between = BETWEEN * devicePixelRatio
  ctx.save()
  ctx.beginPath()
  for (const [index, time] of data.times.entries()) {
    if (!isGap(data, index)) continue
    const left = plot.valToPos(time - step / 2, 'x', true)
    ctx.rect(left, bbox.top, plot.valToPos(time + step / 2, 'x', true) - left, bbox.height)
  }
  ctx.clip()
  ctx.strokeStyle = colour
  ctx.lineWidth = devicePixelRatio
  ctx.beginPath()
  for (let x = bbox.left - bbox.height; x < bbox.left + bbox.width; x += between) {
    ctx.moveTo(x, bbox.top + bbox.height)
    ctx.lineTo(x + bbox.height, bbox.top)
  }
  ctx.stroke()
  ctx.restore()
}
