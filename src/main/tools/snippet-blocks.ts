import { posix } from 'node:path'
import { shellQuote } from './helper-command'
import type { SnippetFile } from './snippet-files'
import type { ShellVariable } from './target'

/** What somebody else's machine needs: variables, and files written with `keyMark` where the key belongs. */
export type BlockParts = {
  readonly toolName: string
  readonly variables: readonly ShellVariable[]
  readonly files: readonly SnippetFile[]
  /** The variable that holds the key there. */
  readonly keyVariable: string
}

/** Stands for the key in a file's text until the shell's variable takes its place; no format needs to quote it. */
export const keyMark = 'PlatformCompanionKeyGoesHere'

const END = 'COMPANION'

/** What belongs into a `devcontainer.json`: the key comes from a variable of the machine that the container runs on. */
export function devcontainerBlock(parts: BlockParts): string {
  const { variables, files, keyVariable } = parts
  const remoteEnv = variables.map(({ name, value }) => [name, value ?? `\${localEnv:${keyVariable}}`] as const)
  const block = {
    ...(remoteEnv.length === 0 ? {} : { remoteEnv: Object.fromEntries(remoteEnv) }),
    ...(files.length === 0 ? {} : { postCreateCommand: writeCommands(parts) }),
  }
  return `${JSON.stringify(block, null, 2)}\n`
}

/** What belongs into a job of GitHub Actions: the key comes from a secret of the repository. */
export function ciBlock(parts: BlockParts): string {
  const { toolName, variables, files, keyVariable } = parts
  const env = variables.map(
    ({ name, value }) => `  ${name}: ${value === undefined ? `\${{ secrets.${keyVariable} }}` : quoted(value)}`,
  )
  const run = literal(writeCommands(parts)).split('\n')
  const step = ['steps:', `  - name: ${quoted(`Configure ${toolName}`)}`, '    run: |', ...run.map(indented)]
  return `${[...(env.length === 0 ? [] : ['env:', ...env]), ...(files.length === 0 ? [] : step)].join('\n')}\n`
}

/** Commands of sh that write the files; only those that will hold the key let the shell put it in. */
function writeCommands({ files, keyVariable }: BlockParts): string {
  const isPrivate = files.some(({ holdsKey }) => holdsKey)
  const folders = [...new Set(files.map(({ path }) => posix.dirname(path)))].filter((folder) => folder !== '.')
  return [
    ...(isPrivate ? ['umask 077'] : []),
    ...(folders.length === 0 ? [] : [`mkdir -p ${folders.map(shellPath).join(' ')}`]),
    ...files.map((file) => writeCommand(file, keyVariable)),
  ].join('\n')
}

function writeCommand({ path, text, holdsKey }: SnippetFile, keyVariable: string): string {
  const body = holdsKey ? text.split(keyMark).map(unexpanded).join(`\${${keyVariable}}`) : text
  return [
    `cat > ${shellPath(path)} <<${holdsKey ? END : `'${END}'`}`,
    `${body}${body.endsWith('\n') ? '' : '\n'}${END}`,
  ].join('\n')
}

/** The tilde of a home stays outside of quotes. */
function shellPath(path: string): string {
  const [, home = '', rest = ''] = /^(~\/)?(.*)$/s.exec(path) ?? []
  return home + shellQuote([rest], 'linux')
}

const unexpanded = (text: string): string => text.replace(/[\\$`]/g, '\\$&')

/** A tool's own references may look like an expression of the workflow, which knows no escape but an expression. */
const literal = (text: string): string => text.replace(/\$\{\{/g, `\${{ '\${{' }}`)

/** A JSON text is a YAML scalar as well. */
const quoted = (text: string): string => JSON.stringify(literal(text))

const indented = (line: string): string => (line === '' ? '' : `      ${line}`)
