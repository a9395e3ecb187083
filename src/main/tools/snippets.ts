import type { Snippet } from '@shared/contract/tools'
import type { Format } from './editors/editor'
import type { ToolEnvironment } from './environment'
import { shellQuote } from './helper-command'
import { type BlockParts, ciBlock, devcontainerBlock, keyMark } from './snippet-blocks'
import { inputForOthers, type SnippetFile, snippetFiles } from './snippet-files'
import type { ShellVariable, TargetInput, WrittenTarget } from './target'

/** What a person replaces by the key. */
const placeholder = '<your key>'

const languages: Readonly<Record<Format, Snippet['language']>> = {
  json: 'json',
  jsonc: 'json',
  yaml: 'yaml',
  dotenv: 'dotenv',
  text: 'text',
}

/**
 * A tool's configuration as text for another machine: its files, lines for a shell, a block for a dev container and one
 * for a CI job. The key is the variable `input.variable` or a place to fill in; `input.key` is never read.
 */
export function snippetsOf(target: WrittenTarget, input: TargetInput, environment: ToolEnvironment): Snippet[] {
  const asked = inputForOthers(target, input)
  const files = snippetFiles(target, asked, { environment, keyText: placeholder })
  return [
    ...files.map(fileSnippet),
    ...shellSnippets(variablesOf(target, asked)),
    ...blockSnippets(target, asked, environment),
  ]
}

function fileSnippet({ path, format, text }: SnippetFile): Snippet {
  const isProgram = format === 'text' && text.startsWith('#!')
  return { kind: 'file', path, language: isProgram ? 'shell' : languages[format], text }
}

/** The variables that a shell must have: all that the tool needs, or the one that its files refer to. */
function variablesOf({ shell }: WrittenTarget, input: TargetInput): readonly ShellVariable[] {
  if (shell !== undefined) return shell(input)
  const isReferredTo = input.delivery === 'env' || input.delivery === 'envFile'
  return isReferredTo ? [{ name: input.variable, value: undefined }] : []
}

function shellSnippets(variables: readonly ShellVariable[]): Snippet[] {
  if (variables.length === 0) return []
  const lines = (line: (name: string, value: string) => string): string =>
    variables.map(({ name, value = placeholder }) => `${line(name, value)}\n`).join('')
  return [
    {
      kind: 'shell',
      language: 'shell',
      text: lines((name, value) => `export ${name}=${shellQuote([value], 'linux')}`),
    },
    {
      kind: 'powershell',
      language: 'powershell',
      text: lines((name, value) => `$env:${name} = '${value.replaceAll("'", "''")}'`),
    },
  ]
}

/**
 * A tool that variables alone configure needs no file there; another one has its files written. One with a window of its
 * own, into which the key is typed or which reads no variable, is no tool for a container.
 */
function blockSnippets(target: WrittenTarget, input: TargetInput, environment: ToolEnvironment): Snippet[] {
  if (target.deliveries[0] === 'inTool' || input.variable === '') return []
  const files = target.shell === undefined ? filesElsewhere(target, input, environment) : []
  const named = variablesOf(target, input)
  const isKeyMissing = named.length === 0 && files.some(({ holdsKey }) => holdsKey)
  const variables = isKeyMissing ? [{ name: input.variable, value: undefined }] : named
  if (files.length === 0 && target.shell === undefined) return []
  const parts: BlockParts = { toolName: target.name, variables, files, keyVariable: input.variable }
  return [
    {
      kind: 'devcontainer',
      path: '.devcontainer/devcontainer.json',
      language: 'json',
      text: devcontainerBlock(parts),
    },
    { kind: 'ci', language: 'yaml', text: ciBlock(parts) },
  ]
}

/** Where the files are on any Linux machine. The variable is there already, so a file of variables is not needed. */
function filesElsewhere(target: WrittenTarget, input: TargetInput, { project }: ToolEnvironment): SnippetFile[] {
  const linux: ToolEnvironment = { home: '~', platform: 'linux', vars: {}, exists: () => false }
  const environment = project === undefined ? linux : { ...linux, project: '.' }
  const isGiven = ({ format, holdsKey }: SnippetFile): boolean =>
    input.delivery === 'envFile' && format === 'dotenv' && holdsKey
  return snippetFiles(target, input, { environment, keyText: keyMark }).filter((file) => !isGiven(file))
}
