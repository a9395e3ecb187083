import { Argument, type Command, type Option } from 'commander'
import type { Output } from './output'

const shells = ['bash', 'zsh', 'fish'] as const

/** A command with its subcommands and options, for completions and manual pages. */
interface Node {
  /** Names of the parent commands, without the program. */
  readonly path: string
  readonly isAlias: boolean
  readonly command: Command
  readonly commands: readonly Command[]
  readonly options: readonly Option[]
}

/** Names that shells complete: what `companion complete KIND` prints, one per line. */
const nameKinds = ['tools', 'plans', 'keys'] as const
type NameKind = (typeof nameKinds)[number]

/**
 * `companion completion SHELL` and `companion manual` print text that is generated from the command definitions, and read
 * no app data. `companion complete KIND` prints names for completions.
 */
export function addCompletionCommands(
  program: Command,
  output: () => Output,
  readNames: (kind: NameKind) => Promise<readonly string[]>,
): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'shell').choices(shells))
    .description('print a shell completion script')
    .action((shell: (typeof shells)[number]) => output().out(builders[shell](program.name(), listNodes(program))))
  program
    .command('manual', { hidden: true })
    .description('print the manual page')
    .action(() => output().out(manualPage(program)))
  program
    .command('complete', { hidden: true })
    .addArgument(new Argument('<kind>', 'kind of names').choices(nameKinds))
    .description('print names for shell completions')
    .action(async (kind: NameKind) => {
      // Shells split completions at blanks.
      const names = (await readNames(kind)).filter((name) => !/\s/.test(name))
      output().out([...new Set(names)].map((name) => `${name}\n`).join(''))
    })
}

/** Kind of names by the name of an argument or of an option's value, such as `plan`. */
const findKind = (name = ''): NameKind | undefined => nameKinds.find((kind) => kind === name || kind === `${name}s`)

const findArgumentKind = ({ command }: Node): NameKind | undefined =>
  command.registeredArguments.map((argument) => findKind(argument.name())).find((kind) => kind !== undefined)

/** Kinds of names by long flag, of all commands. */
function listOptionKinds(nodes: readonly Node[]): ReadonlyMap<string, NameKind> {
  const options = nodes.flatMap((node) => node.options).filter(({ required }) => required)
  return new Map(
    options.flatMap(({ long }) => {
      const kind = findKind(long?.slice(2))
      return long && kind ? [[long, kind] as const] : []
    }),
  )
}

const builders = { bash: writeBashCompletion, zsh: writeZshCompletion, fish: writeFishScript }

function listNodes(command: Command, path = '', isAlias = false): Node[] {
  const help = command.createHelp()
  const commands = help.visibleCommands(command).filter((subcommand) => subcommand.name() !== 'help')
  const node = { path, isAlias, command, commands, options: help.visibleOptions(command) }
  const listSubnodes = (subcommand: Command, name: string): Node[] =>
    listNodes(subcommand, `${path} ${name}`.trim(), isAlias || name !== subcommand.name())
  return [
    node,
    ...commands.flatMap((subcommand) => listNames(subcommand).flatMap((name) => listSubnodes(subcommand, name))),
  ]
}

const toOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

const listFlags = (option: Option): string[] => [option.short, option.long].flatMap((flag) => flag ?? [])

const listNames = (command: Command): string[] => [command.name(), ...command.aliases()]

/** Subcommands with their descriptions, and choices of arguments. */
function listWords({ command, commands }: Node): { readonly word: string; readonly text?: string }[] {
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])
  return [
    ...commands.flatMap((subcommand) =>
      listNames(subcommand).map((word) => ({ word, text: toOneLine(subcommand.description()) })),
    ),
    ...choices.map((word) => ({ word })),
  ]
}

/** Creates the bash completion, which follows the words before the cursor through the subcommands. */
function writeBashCompletion(name: string, nodes: readonly Node[]): string {
  const caseLines = nodes.map((node) => {
    const completions = [...listWords(node).map(({ word }) => word), ...node.options.flatMap(listFlags)].join(' ')
    const kind = findArgumentKind(node)
    const names = kind === undefined ? '' : `; ${name} complete ${kind} 2>/dev/null`
    return `    '${node.path}') echo '${completions}'${names} ;;`
  })
  const optionLines = [...listOptionKinds(nodes)].map(
    ([flag, kind]) => `    ${flag}) words=$(${name} complete ${kind} 2>/dev/null) ;;`,
  )
  const steps = nodes.slice(1).map(({ path }) => `'${path}'`)
  return `# bash completion of ${name}
_${name}_words() {
  case "$1" in
${caseLines.join('\n')}
  esac
}
_${name}() {
  local at='' next word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${at:+$at }$word"
    case "$next" in
      ${steps.join('|')}) at="$next" ;;
    esac
  done
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${optionLines.join('\n')}
    *) words=$(_${name}_words "$at") ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _${name} ${name}
`
}

const zshText = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

function writeZshCompletion(name: string, nodes: readonly Node[]): string {
  const entry = (word: string, text: string): string => zshText(`${word.replaceAll(':', '\\:')}:${toOneLine(text)}`)
  const caseLines = nodes.map((node) => {
    const commands = listWords(node).map(({ word, text = '' }) => entry(word, text))
    const options = node.options.flatMap((option) => listFlags(option).map((flag) => entry(flag, option.description)))
    const kind = findArgumentKind(node)
    const names = kind === undefined ? '' : `; names=${zshText(kind)}`
    return `    ${zshText(node.path)}) commands=(${commands.join(' ')}); options=(${options.join(' ')})${names} ;;`
  })
  const optionLines = [...listOptionKinds(nodes)].map(([flag, kind]) => `    ${flag}) names=${kind}; commands=() ;;`)
  const steps = nodes.slice(1).map(({ path }) => zshText(path))
  return `#compdef ${name}
_${name}() {
  local at='' next word names=''
  local -a commands options
  for word in \${words[2,CURRENT-1]}; do
    next="\${at:+$at }$word"
    case "$next" in
      ${steps.join('|')}) at="$next" ;;
    esac
  done
  case "$at" in
${caseLines.join('\n')}
  esac
  [[ \${words[CURRENT]} == -* ]] && { _describe -o 'option' options; return }
  case "\${words[CURRENT-1]}" in
${optionLines.join('\n')}
  esac
  [[ -n $names ]] && commands+=(\${(f)"$(${name} complete $names 2>/dev/null)"})
  (( \${#commands} )) && _describe 'command' commands || _files
}
if [ "\${funcstack[1]}" = "_${name}" ]; then _${name} "$@"; else compdef _${name} ${name}; fi
`
}

function writeFishScript(name: string, nodes: readonly Node[]): string {
  const offerNames = (kind: NameKind | undefined): string =>
    kind === undefined ? '' : ` -f -a "(${name} complete ${kind} 2>/dev/null)"`
  const quoteForFish = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const lines = nodes.flatMap((node) => {
    const start = `complete -c ${name} -n "_${name}_at ${quoteForFish(node.path)}"`
    const kind = findArgumentKind(node)
    return [
      ...listWords(node).map(
        ({ word, text }) => `${start} -f -a ${word}${text === undefined ? '' : ` -d ${quoteForFish(text)}`}`,
      ),
      ...(kind === undefined ? [] : [`${start}${offerNames(kind)}`]),
      ...node.options.map((option) => {
        const longFlag = option.long ? ` -l ${option.long.slice(2)}` : ''
        const shortFlag = option.short ? ` -s ${option.short.slice(1)}` : ''
        const valueKind = findKind(option.long?.slice(2))
        const requiredFlag = option.required ? ` -r${offerNames(valueKind)}` : ''
        return `${start}${shortFlag}${longFlag}${requiredFlag} -d ${quoteForFish(toOneLine(option.description))}`
      }),
    ]
  })
  return `# fish completion of ${name}
function _${name}_at
  set -l at ''
  for word in (commandline -opc)[2..]
    set -l next (string trim "$at $word")
    contains -- $next ${nodes
      .slice(1)
      .map(({ path }) => quoteForFish(path))
      .join(' ')}; and set at $next
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}
`
}

/** Escapes backslashes and control lines of a manual page. */
const escapeRoff = (text: string): string =>
  toOneLine(text)
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1')

function manualPage(program: Command): string {
  const name = program.name()
  const nodes = listNodes(program).filter(({ isAlias }) => !isAlias)
  const help = program.createHelp()
  const option = (commandOption: Option): string =>
    `.TP\n.B ${escapeRoff(commandOption.flags)}\n${escapeRoff(help.optionDescription(commandOption))}`
  const section = ({ command, options, commands }: Node): string => {
    const ownOptions = commands.length > 0 ? [] : options.filter(({ long }) => long !== '--help')
    return [
      `.SS ${escapeRoff(help.commandUsage(command))}`,
      escapeRoff(command.description()),
      ...ownOptions.map(option),
    ].join('\n')
  }
  return `.TH ${name.toUpperCase()} 1 "" "${name} ${program.version() ?? ''}"
.SH NAME
${name} \\- ${escapeRoff(program.description())}
.SH SYNOPSIS
.B ${escapeRoff(help.commandUsage(program))}
.SH OPTIONS
${help.visibleOptions(program).map(option).join('\n')}
.SH COMMANDS
${nodes.slice(1).map(section).join('\n')}
.SH EXIT STATUS
0 done, 1 failed, 2 called wrongly.
`
}
