#!/usr/bin/env node
// Builds the documentation site in dist/docs: `npm run docs`. `-- --serve` also serves it locally.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { ensureDependencies } from './ensure-dependencies.mjs'
import { run } from './lib/processes.mjs'
import { cacheFolder, npm, resolveFromRoot } from './lib/project.mjs'
import { script } from './lib/script.mjs'
import { printLine, StepFailure, step } from './lib/steps.mjs'

const folder = join(cacheFolder, 'docs')
const pages = join(folder, 'pages')

/** Documents outside docs/ that become pages, by page name. */
const otherPages = {
  'README.md': 'index.md',
  'CONTRIBUTING.md': 'contributing.md',
  'CHANGELOG.md': 'changelog.md',
  'SECURITY.md': 'reporting.md',
}

const texts = {
  en: {
    failures: ['Failure codes', 'Every failure has a code, the same in the window, in the log and in `--json`.'],
    commands: [
      'All commands',
      'Each command and option, as `--help` prints it. Examples: [the command line](../command-line.md).',
    ],
    remedy: 'What to do',
    options: 'Option',
    meaning: 'Meaning',
  },
  vi: {
    failures: ['Mã lỗi', 'Mỗi lỗi có một mã, giống nhau trong cửa sổ, trong log và trong `--json`.'],
    commands: [
      'Tất cả lệnh',
      'Từng lệnh và tùy chọn, đúng như `--help` in ra (chỉ có tiếng Anh). Ví dụ: [dòng lệnh](../command-line.md).',
    ],
    remedy: 'Cách khắc phục',
    options: 'Tùy chọn',
    meaning: 'Ý nghĩa',
    onlyEnglish: '::: info\nTrang này chỉ có tiếng Anh.\n:::',
  },
}

/** @typedef {keyof typeof texts} Language */

/** @param {readonly string[]} args */
async function buildDocs(args) {
  await ensureDependencies()
  await step('Installing the site builder', install)
  await step('Collecting the pages', collect)
  await step('Building the site', build)
  printLine('The site is in dist/docs.')
  if (args.includes('--serve')) await runVitepress(['preview', pages, '--outDir', resolveFromRoot('dist/docs')], false)
}

/** The site's packages are separate from the project's node_modules. */
async function install() {
  const lock = readFileSync(resolveFromRoot('docs/package-lock.json'), 'utf8')
  const installedMarker = join(folder, 'node_modules/.installed')
  if (existsSync(installedMarker) && readFileSync(installedMarker, 'utf8') === lock) return
  mkdirSync(folder, { recursive: true })
  for (const name of ['package.json', 'package-lock.json']) cpSync(resolveFromRoot('docs', name), join(folder, name))
  const { command, args, shell } = npm()
  const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await finishDocsBuild(run(command, [...args, ...options], { cwd: folder, shell, keepOutput: true }), 'npm ci')
  writeFileSync(installedMarker, lock)
}

async function collect() {
  rmSync(pages, { recursive: true, force: true })
  cpSync(resolveFromRoot('docs'), pages, { recursive: true, filter: (path) => !/package(-lock)?\.json$/.test(path) })
  for (const [source, page] of Object.entries(otherPages)) {
    if (page !== 'index.md') cpSync(resolveFromRoot(source), join(pages, page))
  }
  cpSync(resolveFromRoot('resources/icon.svg'), join(pages, 'public/icon.svg'))
  const commands = await commandReference()
  for (const language of /** @type {const} */ (['en', 'vi'])) {
    const reference = join(pages, language === 'en' ? '' : language, 'reference')
    mkdirSync(reference, { recursive: true })
    writeFileSync(join(reference, 'failures.md'), failureReference(language))
    writeFileSync(join(reference, 'commands.md'), commands(language))
  }
  for (const page of readdirSync(pages, { recursive: true, encoding: 'utf8' })) {
    if (!page.endsWith('.md')) continue
    const path = join(pages, page)
    writeFileSync(path, withPageLinks(readFileSync(path, 'utf8'), page.replaceAll('\\', '/')))
  }
  // Every page exists in Vietnamese, so the language switch never leads to a missing page.
  for (const page of readdirSync(pages).filter(
    (name) => name.endsWith('.md') && !existsSync(join(pages, 'vi', name)),
  )) {
    const text = readFileSync(join(pages, page), 'utf8')
    writeFileSync(join(pages, 'vi', page), text.replace(/^# .*$/m, `$&\n\n${texts.vi.onlyEnglish}`))
  }
}

/**
 * Rewrites links that leave docs/. A link to a document that is also a page of the site points to this page. Other
 * links become plain text.
 * @param {string} text
 * @param {string} page
 */
function withPageLinks(text, page) {
  const source = Object.entries(otherPages).find(([, name]) => name === page && page !== 'index.md')?.[0]
  const sourceFolder = source === undefined ? posix.join('docs', posix.dirname(page)) : '.'
  return text.replace(/(?<!!)\[([^\]]*)\]\((?!https?:|#)([^)#\s]+)(#[^)]*)?\)/g, (link, label, path, anchor = '') => {
    if (path.startsWith('/')) return link
    const target = posix.join(sourceFolder, path)
    const externalPage = otherPages[/** @type {keyof typeof otherPages} */ (target)]
    const docPath = externalPage ?? (target.startsWith('docs/') ? target.slice('docs/'.length) : undefined)
    return docPath === undefined ? label : `[${label}](/${docPath}${anchor})`
  })
}

/** @param {Language} language */
function failureReference(language) {
  const { codes } = JSON.parse(readFileSync(resolveFromRoot('src/renderer/locales', language, 'failures.json'), 'utf8'))
  const [title, lead] = texts[language].failures
  const parts = Object.entries(codes).flatMap(([domain, failures]) => [
    `## ${domain}`,
    ...Object.entries(failures).flatMap(([name, { title, explanation, remedy }]) => [
      `### ${domain}.${name}`,
      `**${escapeText(title)}.** ${escapeText(explanation)}`,
      `${texts[language].remedy}: ${escapeText(remedy)}`,
    ]),
  ])
  return ['---\noutline: 2\n---', `# ${title}`, lead, ...parts, ''].join('\n\n')
}

/**
 * Converts a translated text to Markdown. Placeholders are in italics.
 * @param {string} text
 */
const escapeText = (text) => text.replaceAll('<', '&lt;').replace(/\{\{(\w+)\}\}/g, '<em>$1</em>')

/** @returns {Promise<(language: Language) => string>} */
async function commandReference() {
  const { runnerImport } = await import('vite')
  const { module } = await runnerImport(resolveFromRoot('src/main/cli/program.ts'), {
    root: resolveFromRoot(),
    configFile: false,
    resolve: { alias: { '@shared': resolveFromRoot('src/shared') } },
  })
  const program = module.createProgram({ version: '' })
  return (language) => {
    const { commands, options, meaning } = texts[language]
    const [title, lead] = commands
    const table = (/** @type {import('commander').Option[]} */ rows) =>
      rows.length === 0
        ? []
        : [
            [
              `| ${options} | ${meaning} |\n|---|---|`,
              ...rows.map(({ flags, description }) => `| \`${flags.replaceAll('|', '\\|')}\` | ${cell(description)} |`),
            ].join('\n'),
          ]
    /** @type {(command: import('commander').Command, path: string, depth: number) => string[]} */
    const describe = (command, path, depth) => {
      const commandName = `${path} ${command.name()}`.trim()
      const children = command.commands.filter((one) => one.name() !== 'help')
      return [
        ...(depth === 1 ? [] : [`${'#'.repeat(Math.min(depth, 3))} ${commandName.replace(/^companion /, '')}`]),
        `\`\`\`\n${`${commandName} ${command.usage().replace('[command]', 'COMMAND')}`}\n\`\`\``,
        ...(command.description() === '' ? [] : [cell(command.description())]),
        ...table([...command.options]),
        ...children.flatMap((one) => describe(one, commandName, depth + 1)),
      ]
    }
    return ['---\noutline: 2\n---', `# ${title}`, lead, ...describe(program, '', 1), ''].join('\n\n')
  }
}

/** @param {string} text */
const cell = (text) => text.replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;').replaceAll('|', '\\|')

async function build() {
  rmSync(resolveFromRoot('dist/docs'), { recursive: true, force: true })
  await runVitepress(['build', pages, '--outDir', resolveFromRoot('dist/docs')], true)
}

/**
 * @param {readonly string[]} args
 * @param {boolean} keepOutput
 */
function runVitepress(args, keepOutput) {
  const program = join(folder, 'node_modules/vitepress/bin/vitepress.js')
  return finishDocsBuild(run(process.execPath, [program, ...args], { cwd: folder, keepOutput }), `vitepress ${args[0]}`)
}

/**
 * @param {Promise<import('./lib/processes.mjs').RunResult>} running
 * @param {string} what
 */
async function finishDocsBuild(running, what) {
  const { code, output } = await running
  if (code === 0) return
  throw new StepFailure('The site could not be built.', {
    reason: `${what} ended with exit code ${code}; its last lines are above`,
    remedy: 'fix these errors, then run `npm run docs` again',
    output,
  })
}

await script(import.meta.url, buildDocs)
