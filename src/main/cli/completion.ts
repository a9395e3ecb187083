import { Argument, type Command, type Option } from 'commander'
import type { Output } from './output'

const shells = ['bash', 'zsh', 'fish'] as const

/** A command with its options and what may follow it, for completions and manual pages. */
interface Node {
  /** Names of the parent commands, without the program. */
  readonly path: string
  readonly isAlias: boolean
  readonly command: Command
  readonly options: readonly Option[]
  /** Subcommands with their descriptions, and choices of arguments without one. */
  readonly words: readonly { readonly word: string; readonly text: string }[]
  /** Kind of names that the command takes as an argument. */
  readonly kind: NameKind | undefined
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
  const subcommands = help
    .visibleCommands(command)
    .filter((subcommand) => subcommand.name() !== 'help')
    .flatMap((subcommand) =>
      [subcommand.name(), ...subcommand.aliases()].map((word) => ({
        word,
        subcommand,
        text: subcommand.description(),
      })),
    )
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)
  const words = [...subcommands, ...choices.map((word) => ({ word, text: '' }))]
  const kind = command.registeredArguments.flatMap((argument) => findKind(argument.name()) ?? [])[0]
  return [
    { path, isAlias, command, options: help.visibleOptions(command), words, kind },
    ...subcommands.flatMap(({ word, subcommand }) =>
      listNodes(subcommand, `${path} ${word}`.trim(), isAlias || word !== subcommand.name()),
    ),
  ]
}

const toOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

const listFlags = (option: Option): string[] => [option.short, option.long].flatMap((flag) => flag ?? [])

/** Follows the words before the cursor through the subcommands, to the path in `at`. For bash and zsh. */
const followWords = (words: string, nodes: readonly Node[]): string => `  for word in ${words}; do
    next="\${at:+$at }$word"
    case "$next" in
      ${nodes.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`])).join('|')}) at="$next" ;;
    esac
  done`

function writeBashCompletion(name: string, nodes: readonly Node[]): string {
  const caseLines = nodes.map(({ path, words, options, kind }) => {
    const completions = [...words.map(({ word }) => word), ...options.flatMap(listFlags)].join(' ')
    const names = kind === undefined ? '' : `; ${name} complete ${kind} 2>/dev/null`
    return `    '${path}') echo '${completions}'${names} ;;`
  })
  const optionLines = [...listOptionKinds(nodes)].map(
    ([flag, kind]) => `    ${flag}) words=$(${name} complete ${kind} 2>/dev/null) ;;`,
  )
  return `# bash completion of ${name}
_${name}_words() {
  case "$1" in
${caseLines.join('\n')}
  esac
}
_${name}() {
  local at='' next word words
${followWords(`"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`, nodes)}
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${optionLines.join('\n')}
    *) words=$(_${name}_words "$at") ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _${name} ${name}
`
}

function writeZshCompletion(name: string, nodes: readonly Node[]): string {
  const entry = (word: string, text: string): string => `'${word}:${toOneLine(text).replaceAll("'", "'\\''")}'`
  const caseLines = nodes.map(({ path, words, options, kind }) => {
    const commands = words.map(({ word, text }) => entry(word, text)).join(' ')
    const flags = options.flatMap((option) => listFlags(option).map((flag) => entry(flag, option.description)))
    const names = kind === undefined ? '' : `; names='${kind}'`
    return `    '${path}') commands=(${commands}); options=(${flags.join(' ')})${names} ;;`
  })
  const optionLines = [...listOptionKinds(nodes)].map(([flag, kind]) => `    ${flag}) names=${kind}; commands=() ;;`)
  return `#compdef ${name}
_${name}() {
  local at='' next word names=''
  local -a commands options
${followWords(`\${words[2,CURRENT-1]}`, nodes)}
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
  const describeWord = (text: string): string => (text === '' ? '' : ` -d ${quoteForFish(toOneLine(text))}`)
  const lines = nodes.flatMap(({ path, words, options, kind }) => {
    const start = `complete -c ${name} -n "_${name}_at ${quoteForFish(path)}"`
    return [
      ...words.map(({ word, text }) => `${start} -f -a ${word}${describeWord(text)}`),
      ...(kind === undefined ? [] : [`${start}${offerNames(kind)}`]),
      ...options.map((option) => {
        const longFlag = option.long ? ` -l ${option.long.slice(2)}` : ''
        const shortFlag = option.short ? ` -s ${option.short.slice(1)}` : ''
        const valueKind = findKind(option.long?.slice(2))
        const requiredFlag = option.required ? ` -r${offerNames(valueKind)}` : ''
        return `${start}${shortFlag}${longFlag}${requiredFlag}${describeWord(option.description)}`
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
  const section = ({ command, options }: Node): string => {
    const ownOptions = command.commands.length > 0 ? [] : options.filter(({ long }) => long !== '--help')
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
