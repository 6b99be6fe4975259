// Searches of the models, and of their mutants.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Bounds, Mutant, ModelPlan } from '../plans.js'
import { loadModel } from './compile-model.js'
import { search, type Found } from './search.js'

export const fileOf = (name: string): string => fileURLToPath(new URL(`../${name}.qnt`, import.meta.url))
export const sourceOf = (name: string): string => readFileSync(fileOf(name), 'utf8')

/** @throws Error unless the text is there exactly once: the model has changed, and the change of it must follow */
export function replaceOnce(source: string, find: string, replace: string): string {
  if (source.split(find).length !== 2) throw new Error(`not exactly once in the model: ${find}`)
  return source.replace(find, () => replace)
}

function withBounds(source: string, bounds: Bounds): string {
  return Object.entries(bounds).reduce((text, [name, value]) => {
    const line = new RegExp(`^  pure val ${name} = (.*)$`, 'm').exec(text)
    if (!line) throw new Error(`the model has no bound ${name}`)
    return replaceOnce(text, line[0], `  pure val ${name} = ${value}`)
  }, source)
}

/** The text of a model with these bounds. */
export const boundedSource = (name: string, bounds: Bounds): string => withBounds(sourceOf(name), bounds)

export const searchModel = ({ name }: ModelPlan, bounds: Bounds): Found =>
  search(loadModel(fileOf(name), withBounds(sourceOf(name), bounds)))

export const searchMutant = ({ name }: ModelPlan, { find, replace, bounds }: Mutant): Found =>
  search(loadModel(fileOf(name), withBounds(replaceOnce(sourceOf(name), find, replace), bounds)))

/** The bounds of a search in a line. */
export const describeBounds = (source: string, bounds: Bounds): string =>
  [...source.matchAll(/^ {2}pure val ([A-Z_]+) = (.*[^(])$/gm)]
    .map(([, name, value]) => `${name} ${bounds[name!] ?? value}`)
    .join(', ')
