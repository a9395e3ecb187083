import { chmodSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import { minifySync, type Plugin, runnerImport } from 'vite'

const here = import.meta.dirname
const { devDependencies } = JSON.parse(readFileSync(resolve(here, 'package.json'), 'utf8'))
const alias = { '@shared': resolve(here, 'src/shared') }
const entry = (path: string): string => resolve(here, path)

/** Native modules stay outside the bundle; everything else is inlined, so `out/` needs no other package. */
const external = ['electron', 'keytar', 'libsql']
const cjs = {
  format: 'cjs',
  minify: false,
  entryFileNames: '[name].cjs',
  chunkFileNames: 'chunks/[name]-[hash].cjs',
  // Node's loader of ES modules takes 11 ms to start, which is a tenth of `companion key print`.
  dynamicImportInCjs: false,
  // Libraries apart from the entries, so that the window opens before they are read; but for what needs Electron, which
  // the command line must do without.
  codeSplitting: {
    groups: [
      // What coding tools call all the time, in one file: each one more takes a part of a millisecond.
      {
        name: 'quick',
        test: /src[\\/]main[\\/](core[\\/](data-dir|launcher[\\/]command-arguments|vault[\\/](keychain|secret-service))|usage[\\/]quota[\\/]status-cache|cli[\\/](quick-answer|statusline))\.ts/,
      },
      {
        name: 'libraries',
        test: /node_modules[\\/](?!electron-store|electron-updater|builder-util-runtime|fs-extra|graceful-fs|jsonfile|universalify|js-yaml|argparse|lazy-val|sax|lodash|tiny-typed-emitter|semver|debug|ms[\\/]|gpt-tokenizer|undici|age-encryption|commander|papaparse|@modelcontextprotocol|@opentelemetry|@noble|@scure|yaml|jsonc-parser|toml-eslint-parser|eslint-visitor-keys|diff|which|isexe|pg|postgres-|pgpass|split2|xtend)/,
      },
    ],
  },
} as const

/** The library under electron-store imports these for schemas and migrations, which a window's place has none of. */
const unused = ['ajv/dist/2020.js', 'ajv-formats', 'semver']
const withoutUnused = {
  name: 'without-unused',
  enforce: 'pre',
  resolveId: (id: string, importer = '') =>
    unused.includes(id) && /[\\/]conf[\\/]/.test(importer) ? '\0unused' : undefined,
  load: (id: string) => (id === '\0unused' ? 'export class Ajv2020 {}\nexport default {}' : undefined),
} as const

/**
 * Makes the text of main's programs short, which V8 keeps as long as they run, in two bytes a character once one of them is none of Latin-1.
 * Names and lines stay: a trace tells them. So does the table of tokens, which would take 1.6 times as long to read.
 */
const shortText = {
  name: 'short-text',
  renderChunk: (code: string, { name, fileName }: { name: string; fileName: string }) => {
    const codegen = { removeWhitespace: false, asciiOnly: true }
    if (name.startsWith('o200k')) return null
    return minifySync(fileName, code, { compress: true, mangle: false, codegen, sourcemap: true })
  },
} as const

/** The command is started by its path: npm, npx and tools' helper settings need it to be executable. */
const executableCommand = {
  name: 'executable-command',
  writeBundle: ({ dir = '' }: { dir?: string }) => chmodSync(resolve(dir, 'cli.cjs'), 0o755),
} as const

const firstScreenLibraries =
  /node_modules[\\/](react|react-dom|scheduler|react-router|@tanstack|i18next|react-i18next|use-sync-external-store|zustand|clsx|tailwind-merge|lucide-react|@radix-ui|radix-ui|@floating-ui|aria-hidden|react-remove-scroll.*|react-style-singleton|use-callback-ref|use-sidecar|get-nonce|tslib|cookie|set-cookie-parser)[\\/]/
const firstScreen =
  /src[\\/]renderer[\\/](ui(?![\\/]markdown|[\\/].*\.css)|i18n(?![\\/]vi)|locales[\\/]en|failures|features[\\/](home|shell))[\\/]|src[\\/]renderer[\\/](?!start\.ts)[^\\/]+\.tsx?$/

/** What the page loads before its first paint, and the scripts that are run after it, which are fetched meanwhile. */
const ahead = [
  { of: /^assets\/inter-(latin|vietnamese)-wght-.*\.woff2$/, as: 'rel="preload" as="font" type="font/woff2"' },
  { of: /^assets\/(rolldown-runtime|vendor|window)-.*\.js$/, as: 'rel="modulepreload"' },
]

/** Draws the first screens, which main puts into the page, and puts the page's styles into it: the first paint needs nothing more. */
const firstScreens: Plugin = {
  name: 'first-screens',
  apply: 'build',
  enforce: 'post',
  async generateBundle(_options, bundle) {
    const { module } = await runnerImport<typeof import('./src/renderer/first-screens')>(
      entry('src/renderer/first-screens.tsx'),
      { configFile: false, resolve: { alias } },
    )
    for (const [name, source] of Object.entries(module.firstScreens))
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

// The targets are those of the oldest runtime the app is developed on (Node 20, Chrome 130).
export default defineConfig({
  main: {
    resolve: { alias },
    define: { 'process.env.RELEASED_ELECTRON': JSON.stringify(devDependencies.electron) },
    plugins: [withoutUnused, shortText, executableCommand],
    build: {
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
    plugins: [react(), tailwind(), firstScreens],
    build: {
      target: 'chrome130',
      minify: true,
      sourcemap: true,
      rolldownOptions: {
        input: { index: entry('src/renderer/index.html') },
        // A feature's index.ts brings along only what is used of it: loading a module of a feature does nothing by itself.
        treeshake: { moduleSideEffects: [{ test: /renderer[\\/]features[\\/].*\.tsx?$/, sideEffects: false }] },
        // What the first screen needs comes in few files; each one more costs a round trip before the first paint.
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
