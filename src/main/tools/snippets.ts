import { posix } from 'node:path'
import type { Delivery, Snippet } from '@shared/contract/tools'
import { AppError } from '@shared/failure'
import { shellQuote, type ToolEnvironment } from '../core/environment'
import { Secret } from '../core/secret'
import { editors } from './editors'
import type { Format } from './editors/editor'
import { exposeEdits, holdsSecret } from './owned-settings'
import { listRoutes, type ShellVariable, type TargetInput, type WrittenTarget } from './target'

const placeholder = '<your key>'

/** Dummy key of files to share, so that they can never contain the real key. */
const placeholderKey = new Secret(placeholder, 'text')

const languages: Readonly<Record<Format, Snippet['language']>> = {
  json: 'json',
  jsonc: 'json',
  yaml: 'yaml',
  toml: 'toml',
  dotenv: 'dotenv',
  text: 'text',
}

/**
 * A tool's configuration as text for another computer: files, shell lines, a dev container block and a CI job. In
 * place of the key it has the variable `input.variable` or a placeholder.
 */
export function buildSnippets(
  target: WrittenTarget,
  input: Omit<TargetInput, 'key'>,
  environment: ToolEnvironment,
): Snippet[] {
  const targetInput = createPlaceholderInput(target, input)
  return [
    ...snippetFiles(target, targetInput, environment).map(({ path, format, text }): Snippet => {
      const isProgram = format === 'text' && text.startsWith('#!')
      return { kind: 'file', path, language: isProgram ? 'shell' : languages[format], text }
    }),
    ...shellSnippets(listVariables(target, targetInput)),
    ...blockSnippets(target, targetInput, environment),
  ]
}

function listVariables({ shell }: WrittenTarget, input: TargetInput): readonly ShellVariable[] {
  if (shell !== undefined) return shell(input)
  const isKeyReferenced = input.delivery === 'env' || input.delivery === 'envFile'
  return isKeyReferenced ? [{ name: input.variable, value: undefined }] : []
}

function shellSnippets(variables: readonly ShellVariable[]): Snippet[] {
  if (variables.length === 0) return []
  const lines = (line: (name: string, value: string) => string): string =>
    variables.map(({ name, value = placeholder }) => `${line(name, value)}\n`).join('')
  const shell = lines((name, value) => `export ${name}=${shellQuote([value], 'linux')}`)
  const powershell = lines((name, value) => `$env:${name} = '${value.replaceAll("'", "''")}'`)
  return [
    { kind: 'shell', language: 'shell', text: shell },
    { kind: 'powershell', language: 'powershell', text: powershell },
  ]
}

/** Snippets for containers: only variables if that is enough. None for tools whose window takes the key. */
function blockSnippets(target: WrittenTarget, input: TargetInput, environment: ToolEnvironment): Snippet[] {
  if (target.deliveries[0] === 'inTool' || input.variable === '') return []
  const files = target.shell === undefined ? listProjectFiles(target, input, environment) : []
  const namedVariables = listVariables(target, input)
  const isKeyMissing = namedVariables.length === 0 && files.some(({ holdsKey }) => holdsKey)
  const variables = isKeyMissing ? [{ name: input.variable, value: undefined }] : namedVariables
  if (files.length === 0 && target.shell === undefined) return []
  const parts: BlockParts = { toolName: target.name, variables, files, keyVariable: input.variable }
  const path = '.devcontainer/devcontainer.json'
  return [
    { kind: 'devcontainer', path, language: 'json', text: devcontainerBlock(parts) },
    { kind: 'ci', language: 'yaml', text: ciBlock(parts) },
  ]
}

/** Settings files with paths for any Linux computer. Omits `.env` files, because the snippet sets the variable. */
function listProjectFiles(target: WrittenTarget, input: TargetInput, { project }: ToolEnvironment): SnippetFile[] {
  const linux: ToolEnvironment = { home: '~', platform: 'linux', vars: {}, exists: () => false }
  const environment = project === undefined ? linux : { ...linux, project: '.' }
  const isKeyEnvFile = ({ format, holdsKey }: SnippetFile): boolean =>
    input.delivery === 'envFile' && format === 'dotenv' && holdsKey
  return snippetFiles(target, { ...input, key: shellKey }, environment).filter((file) => !isKeyEnvFile(file))
}

/** Parts of a container snippet: variables, and files that contain `keyPlaceholder` in place of the key. */
type BlockParts = {
  readonly toolName: string
  readonly variables: readonly ShellVariable[]
  readonly files: readonly SnippetFile[]
  readonly keyVariable: string
}

/** Placeholder for the key in files, which shell commands replace with a variable. Needs no quotes in any format. */
const keyPlaceholder = 'PlatformCompanionKeyGoesHere'
const shellKey = new Secret(keyPlaceholder)

const HEREDOC_DELIMITER = 'COMPANION'

/** Part of a `devcontainer.json`. The key comes from a variable of the host. */
function devcontainerBlock(parts: BlockParts): string {
  const { variables, files, keyVariable } = parts
  const remoteEnv = variables.map(({ name, value }) => [name, value ?? `\${localEnv:${keyVariable}}`] as const)
  const block = {
    ...(remoteEnv.length === 0 ? {} : { remoteEnv: Object.fromEntries(remoteEnv) }),
    ...(files.length === 0 ? {} : { postCreateCommand: writeCommands(parts) }),
  }
  return `${JSON.stringify(block, null, 2)}\n`
}

/** Steps of a GitHub Actions job. The key comes from a repository secret. */
function ciBlock(parts: BlockParts): string {
  const { toolName, variables, files, keyVariable } = parts
  const env = variables.map(
    ({ name, value }) => `  ${name}: ${value === undefined ? `\${{ secrets.${keyVariable} }}` : quoteJson(value)}`,
  )
  const commands = escapeTemplate(writeCommands(parts)).split('\n')
  const run = commands.map((line) => (line === '' ? '' : `      ${line}`))
  const step = ['steps:', `  - name: ${quoteJson(`Configure ${toolName}`)}`, '    run: |', ...run]
  return `${[...(env.length === 0 ? [] : ['env:', ...env]), ...(files.length === 0 ? [] : step)].join('\n')}\n`
}

/** Shell commands that write the files. The shell inserts the key into files that contain its placeholder. */
function writeCommands({ files, keyVariable }: BlockParts): string {
  const folders = [...new Set(files.map(({ path }) => posix.dirname(path)))].filter((folder) => folder !== '.')
  return [
    ...(files.some(({ holdsKey }) => holdsKey) ? ['umask 077'] : []),
    ...(folders.length === 0 ? [] : [`mkdir -p ${folders.map(shellPath).join(' ')}`]),
    ...files.flatMap(({ path, text, holdsKey }) => {
      const parts = text.split(keyPlaceholder).map((part) => part.replace(/[\\$`]/g, '\\$&'))
      const body = holdsKey ? parts.join(`\${${keyVariable}}`) : text
      return [
        `cat > ${shellPath(path)} <<${holdsKey ? HEREDOC_DELIMITER : `'${HEREDOC_DELIMITER}'`}`,
        `${body}${body.endsWith('\n') ? '' : '\n'}${HEREDOC_DELIMITER}`,
      ]
    }),
  ].join('\n')
}

/** Quotes a path for the shell. A tilde expands only outside of quotes. */
function shellPath(path: string): string {
  const [, home = '', rest = ''] = /^(~\/)?(.*)$/s.exec(path) ?? []
  return home + shellQuote([rest], 'linux')
}

/** Escapes `${{`, which GitHub Actions would evaluate. Only an expression can output it. */
const escapeTemplate = (text: string): string => text.replace(/\$\{\{/g, `\${{ '\${{' }}`)

/** Quotes a text as JSON, which is a valid YAML scalar. */
const quoteJson = (text: string): string => JSON.stringify(escapeTemplate(text))

type SnippetFile = {
  readonly path: string
  readonly format: Format
  readonly text: string
  /** Whether the text contains the placeholder of the key. */
  readonly holdsKey: boolean
}

/** Key deliveries for shared texts, best first: variables that the user sets, then files or forms to paste the key. */
const preferredDeliveries: readonly Delivery[] = ['envFile', 'env', 'plain', 'inTool', 'file', 'helper']

/** Input for a text to share, without the key. Fails with `tool.notWritten` for a tool that needs this relay. */
function createPlaceholderInput(target: WrittenTarget, input: Omit<TargetInput, 'key'>): TargetInput {
  const { deliveries, name } = target
  if (!listRoutes(target).includes('gateway')) {
    const message = `${name} works through the relay of this computer only, so there is no configuration for another one.`
    throw new AppError('tool.notWritten', message)
  }
  const delivery = preferredDeliveries.find((candidate) => deliveries.includes(candidate)) ?? deliveries[0]
  return { ...input, delivery, key: placeholderKey }
}

function snippetFiles({ files }: WrittenTarget, input: TargetInput, environment: ToolEnvironment): SnippetFile[] {
  return files.flatMap(({ path, format, edits }) => {
    const filePath = path(environment)
    const ownEdits = edits(input, {}, environment)
    if (filePath === undefined || ownEdits.length === 0) return []
    const text = editors[format].edit('', exposeEdits(ownEdits))
    return [{ path: filePath, format, text, holdsKey: ownEdits.some(holdsSecret) }]
  })
}
