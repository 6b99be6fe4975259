// Prisma's query compiler is WebAssembly of 3.4 MB. Statements of `$queryRaw` and batches of ingest need none of it, so a process
// loads it with its first statement of a model, or before its first other transaction, in some 60 ms. CPU of a start by Node 20 before
// and after: ingest 470 and 270 ms, api 720 and 390, realtime 450 and 270, worker 490 and 300, ops 610 and 340. BullMQ, which its
// producers load late, is a tenth of that.
import type { GetPrismaClientConfig } from '@prisma/client/runtime/client'

type CompilerLoading = NonNullable<GetPrismaClientConfig['compilerWasm']>
type Constructor = Awaited<ReturnType<CompilerLoading['getRuntime']>>['QueryCompiler']
type Compiler = InstanceType<Constructor>

/** The function that Prisma calls when it has loaded a compiler. */
const START = '__wbindgen_start'
/** WebAssembly of one module: an exported function of this name that does nothing. */
const EMPTY_MODULE = [
  [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  // One type of function, without parameters and results; one function of this type.
  [0x01, 0x04, 0x01, 0x60, 0x00, 0x00],
  [0x03, 0x02, 0x01, 0x00],
  [0x07, START.length + 4, 0x01, START.length, ...Buffer.from(START), 0x00, 0x00],
  [0x0a, 0x04, 0x01, 0x02, 0x00, 0x0b],
].flat()

/** Node's types of version 20 lack it. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object, imports: Record<string, unknown>) => { exports: { [START](): void } }
}

/** A string of base64; in bundles, a file's bytes (scripts/bundle.mjs). */
async function readWasm(): Promise<Buffer> {
  const file: unknown =
    // @ts-expect-error Prisma declares no types for this file.
    await import('@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64.mjs')
  const { wasm } = file as { wasm: string | Buffer }
  return typeof wasm === 'string' ? Buffer.from(wasm, 'base64') : wasm
}

/** Of the clients that are connected and have compiled nothing. */
const waiting = new Set<() => unknown>()

/**
 * Loads the compilers of clients that are connected. Before a transaction begins: on a busy machine loading has taken longer than a
 * transaction may be idle.
 */
export function loadCompilers(): void {
  for (const load of waiting) load()
}

/** Prisma passes what this returned for one client on to the next. */
const late = new WeakSet<CompilerLoading>()

/** @returns Prisma's configuration with a query compiler that is loaded when it compiles for the first time */
export function loadCompilerLate(config: GetPrismaClientConfig): GetPrismaClientConfig {
  const loading = config.compilerWasm!
  if (late.has(loading)) return config
  const getRuntime = async () => {
    const runtime = await loading.getRuntime()
    let wasm: Buffer | undefined = await readWasm()
    const load = (options: ConstructorParameters<Constructor>[0]): Compiler => {
      if (wasm) {
        const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasm), {
          [loading.importName]: runtime,
        })
        runtime.__wbg_set_wasm(exports)
        exports[START]()
        wasm = undefined
      }
      return new runtime.QueryCompiler(options)
    }
    class LazyQueryCompiler implements Compiler {
      #loaded: Compiler | undefined
      readonly #load = (): Compiler => {
        waiting.delete(this.#load)
        return (this.#loaded ??= load(this.options))
      }
      constructor(private readonly options: ConstructorParameters<Constructor>[0]) {
        waiting.add(this.#load)
      }
      compile(request: string) {
        return this.#load().compile(request)
      }
      compileBatch(batch: string) {
        return this.#load().compileBatch(batch)
      }
      free(): void {
        waiting.delete(this.#load)
        this.#loaded?.free()
      }
    }
    return { __wbg_set_wasm() {}, QueryCompiler: LazyQueryCompiler }
  }
  const getQueryCompilerWasmModule = () =>
    Promise.resolve(new WebAssembly.Module(Uint8Array.from(EMPTY_MODULE)))
  const compilerWasm = { ...loading, getRuntime, getQueryCompilerWasmModule }
  late.add(compilerWasm)
  return { ...config, compilerWasm }
}
