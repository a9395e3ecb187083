import { chmodSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import { minifySync, type Plugin, runnerImport } from 'vite'

const here = import.meta.dirname
const { devDependencies } = JSON.parse(readFileSync(resolve(here, 'package.json'), 'utf8'))
const alias = { '@shared': resolve(here, 'src/shared') }
const entry = (path: string): string => resolve(here, path)

/** Native modules stay outside the bundle. Everything else is inlined, so `out/` needs no other package. */
const external = ['electron', 'keytar', 'libsql']
const cjs = {
  format: 'cjs',
  minify: false,
  entryFileNames: '[name].cjs',
  chunkFileNames: 'chunks/[name]-[hash].cjs',
  // Node's ES module loader takes 11 ms to start, a tenth of `companion key print`.
  dynamicImportInCjs: false,
  // The libraries of the start are in one file, so that it loads neither the entries nor the libraries of single features.
  codeSplitting: {
    groups: [
      // Commands that coding tools call often, in one file, because each further file costs a part of a millisecond.
      {
        name: 'quick',
        test: /src[\\/]main[\\/](core[\\/](data-dir|launcher[\\/]command-arguments|vault[\\/](keychain|secret-service|dbus-messages))|usage[\\/]quota[\\/]status-cache|cli[\\/](quick-answer|statusline))\.ts/,
      },
      {
        name: 'libraries',
        test: /node_modules[\\/](zod|i18next|conf|dot-prop|atomically|stubborn-|uint8array-extras|when-exit|env-paths|debounce-fn|mimic-function)/,
      },
    ],
  },
} as const

/** `conf`, below electron-store, imports these for schemas and migrations, which this app does not use. */
const unused = ['ajv/dist/2020.js', 'ajv-formats', 'semver']
const withoutUnused = {
  name: 'without-unused',
  enforce: 'pre',
  resolveId: (id: string, importer = '') =>
    unused.includes(id) && /[\\/]conf[\\/]/.test(importer) ? '\0unused' : undefined,
  load: (id: string) => (id === '\0unused' ? 'export class Ajv2020 {}\nexport default {}' : undefined),
} as const

/**
 * Minifies main's programs, because V8 keeps their source in memory, with two bytes per character if one is not Latin-1.
 * Keeps names and lines for stack traces. Skips the token table, whose minified form takes 1.6 times as long to parse.
 */
const shortText = {
  name: 'short-text',
  renderChunk: (code: string, { name, fileName }: { name: string; fileName: string }) => {
    const codegen = { removeWhitespace: false, asciiOnly: true }
    if (name.startsWith('o200k')) return null
    return minifySync(fileName, code, { compress: true, mangle: false, codegen, sourcemap: true })
  },
} as const

/** npm, npx and the helper settings of tools start the command by its path, so it must be executable. */
const executableCommand = {
  name: 'executable-command',
  writeBundle: ({ dir = '' }: { dir?: string }) => chmodSync(resolve(dir, 'cli.cjs'), 0o755),
} as const

const keptMs = 86_400_000

/** Keeps the files of earlier builds for a day, because a running app loads some only when a page is opened. */
const deleteOldFiles = {
  name: 'delete-old-files',
  writeBundle({ dir = '' }: { dir?: string }, bundle: object) {
    for (const file of readdirSync(dir, { recursive: true, withFileTypes: true })) {
      const path = join(file.parentPath, file.name)
      const isBuilt = relative(dir, path).replaceAll('\\', '/') in bundle
      if (file.isFile() && !isBuilt && Date.now() - statSync(path).mtimeMs > keptMs) rmSync(path)
    }
  },
}

const firstScreenLibraries =
  /node_modules[\\/](react|react-dom|scheduler|react-router|@tanstack|i18next|use-sync-external-store|zustand|clsx|tailwind-merge|lucide-react|@radix-ui|radix-ui|@floating-ui|aria-hidden|react-remove-scroll.*|react-style-singleton|use-callback-ref|use-sidecar|get-nonce|tslib|cookie|set-cookie-parser)[\\/]/
const firstScreen =
  /src[\\/]renderer[\\/](ui(?![\\/]markdown|[\\/].*\.css)|i18n(?![\\/]vi)|locales[\\/]en|failures|features[\\/](home|shell(?![\\/]palette)))[\\/]|src[\\/]renderer[\\/](?!start\.ts)[^\\/]+\.tsx?$/

/** Resources to preload for the first paint, and scripts to fetch in parallel for after it. */
const ahead = [
  { of: /^assets\/inter-(latin|vietnamese)-wght-.*\.woff2$/, as: 'rel="preload" as="font" type="font/woff2"' },
  { of: /^assets\/(rolldown-runtime|vendor|window)-.*\.js$/, as: 'rel="modulepreload"' },
]

/** Renders the first screens, which main inserts into the page, and inlines the styles, so that the first paint needs nothing else. */
const firstScreens: Plugin = {
  name: 'first-screens',
  apply: 'build',
  enforce: 'post',
  async generateBundle(_options, bundle) {
    const { module } = await runnerImport<typeof import('./src/renderer/first-screens')>(
      entry('src/renderer/first-screens.tsx'),
      { configFile: false, resolve: { alias } },
    )
    for (const [name, source] of Object.entries(module.prerenderedScreens))
      this.emitFile({ type: 'asset', fileName: `screens/${name}.html`, source })
    const page = bundle['index.html']
    const styles = Object.values(bundle).find(({ fileName }) => /^assets\/index-.*\.css$/.test(fileName))
    if (page?.type !== 'asset' || styles?.type !== 'asset') return this.error('The page has no styles.')
    const style = String(styles.source).replaceAll('url(./', 'url(./assets/')
    const links = ahead.flatMap(({ of, as }) =>
      Object.keys(bundle)
        .filter((name) => of.test(name))
        .map((name) => `<link ${as} crossorigin href="./${name}">`),
    )
    page.source = String(page.source).replace(
      /<link rel="stylesheet".*>/,
      () => `${links.join('\n    ')}\n    <style>${style}</style>`,
    )
    delete bundle[styles.fileName]
  },
}

// Targets of the oldest runtime that the app is developed on (Node 20, Chrome 130).
export default defineConfig({
  main: {
    resolve: { alias },
    define: { 'process.env.RELEASED_ELECTRON': JSON.stringify(devDependencies.electron) },
    plugins: [withoutUnused, shortText, executableCommand, deleteOldFiles],
    build: {
      emptyOutDir: false,
      target: 'node20.18',
      externalizeDeps: false,
      sourcemap: true,
      rolldownOptions: {
        external,
        input: {
          index: entry('src/main/index.ts'),
          cli: entry('src/main/cli.ts'),
          sandbox: entry('src/sandbox/index.ts'),
          relay: entry('src/main/relay-entry.ts'),
          usage: entry('src/main/usage-worker.ts'),
          playground: entry('src/main/playground-worker.ts'),
          count: entry('src/main/gateway/tokens/count-worker.ts'),
        },
        output: cjs,
      },
    },
  },
  preload: {
    build: {
      target: 'node20.18',
      externalizeDeps: false,
      sourcemap: true,
      rolldownOptions: {
        external: ['electron'],
        input: { index: entry('src/preload/index.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false },
      },
    },
  },
  renderer: {
    root: entry('src/renderer'),
    resolve: { alias },
    plugins: [react(), tailwind(), firstScreens, deleteOldFiles],
    build: {
      emptyOutDir: false,
      target: 'chrome130',
      minify: true,
      sourcemap: true,
      rolldownOptions: {
        input: { index: entry('src/renderer/index.html') },
        // Modules of features have no side effects, so an index.ts adds only the exports that are used.
        treeshake: { moduleSideEffects: [{ test: /renderer[\\/]features[\\/].*\.tsx?$/, sideEffects: false }] },
        // The first screen loads few files, because each further one costs a round trip before the first paint.
        output: {
          minify: { compress: true, mangle: true, codegen: { removeWhitespace: true, asciiOnly: true } },
          codeSplitting: {
            groups: [
              { name: 'preload', test: /vite[\\/]preload-helper/, priority: 1 },
              { name: 'vendor', test: firstScreenLibraries },
              { name: 'window', test: firstScreen },
            ],
          },
        },
      },
    },
  },
})
