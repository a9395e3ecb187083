import { basename, join, resolve } from 'node:path'
import { build } from 'vite'

/** Builds a test program into a folder from which Node finds the project's packages. Returns its path. */
export async function buildProgram(source: string, folder: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { alias: { '@shared': resolve(import.meta.dirname, '../../src/shared') } },
    ssr: { noExternal: true, external: ['libsql', 'keytar'] },
    build: {
      ssr: source,
      outDir: folder,
      emptyOutDir: false,
      rolldownOptions: { output: { entryFileNames: '[name].mjs' } },
    },
  })
  return join(folder, `${basename(source, '.ts')}.mjs`)
}

/** Builds the sandbox into a folder. Returns the path of its program. */
export async function buildSandbox(folder: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: resolve(import.meta.dirname, '../../src/sandbox/index.ts'),
      outDir: folder,
      rolldownOptions: { output: { format: 'cjs', entryFileNames: 'sandbox.cjs', chunkFileNames: '[name].cjs' } },
    },
  })
  return join(folder, 'sandbox.cjs')
}
