import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Argument, Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { addCompletionCommands } from '../../../../src/main/cli/completion'
import { makeFolder } from '../../support/folders'
import { memoryOutput } from './desk'

const isMissing = (program: string): boolean => spawnSync(program, ['--version']).error !== undefined

/** A command-line program whose texts are difficult to quote in a shell, with nested subcommands. */
function exampleProgram(): Command {
  const program = new Command('companion')
    .description("It's an example")
    .version('1.2.3')
    .option('--json', 'print: JSON')
  const key = program.command('key').alias('secret').description("the keys' commands")
  key.command('print').description('print a key').option('-p, --plan <plan>', "the plan's name")
  key.command('list').description('every key')
  key.command('show').argument('<plan>', 'name').option('--key <key>', 'name').description('one key')
  program
    .command('odd')
    .addArgument(new Argument('<shell>', 'shell').choices(['bash', 'fish']))
    .description('.print\\it')
  program.command('unseen', { hidden: true })
  return program
}

/** Completions that the example program prints for these words. */
function suggestCompletions(...parts: readonly string[]): string {
  const program = exampleProgram()
  const output = memoryOutput()
  addCompletionCommands(
    program,
    () => output,
    async () => [],
  )
  program.parse(parts, { from: 'user' })
  return output.stdout() + output.stderr()
}

/** Completions of a shell, with the last word incomplete. */
function listCompletions(shell: 'bash' | 'fish', parts: readonly string[]): string[] {
  const script = suggestCompletions('completion', shell)
  const shellScript =
    shell === 'bash'
      ? `COMP_WORDS=(companion "$@"); COMP_CWORD=$#; _companion; printf '%s\\n' "\${COMPREPLY[@]}"`
      : 'complete -C "companion $argv"'
  const start =
    shell === 'bash' ? ['--norc', '-c', `${script}\n${shellScript}`, 'bash'] : ['-c', `${script}\n${shellScript}`]
  const home = makeFolder()
  writeFileSync(join(home, 'companion'), '#!/bin/sh\necho "$2-of-lan"\n', { mode: 0o755 })
  const env = { PATH: `${home}:${process.env.PATH}`, HOME: home }
  const shellOutput = execFileSync(shell, [...start, ...parts], { encoding: 'utf8', env })
  return shellOutput.split('\n').filter((line) => line !== '')
}

describe('completion', () => {
  it('offers in bash the commands and options after the typed words', () => {
    expect(listCompletions('bash', [''])).toEqual(expect.arrayContaining(['key', 'completion', '--json']))
    expect(listCompletions('bash', [''])).not.toContain('unseen')
    expect(listCompletions('bash', ['ke'])).toEqual(['key'])
    expect(listCompletions('bash', ['--json', 'key', ''])).toEqual(expect.arrayContaining(['print', 'list']))
    expect(listCompletions('bash', ['key', 'print', '--p'])).toEqual(['--plan'])
    expect(listCompletions('bash', ['completion', 'b'])).toEqual(['bash'])
  })

  it('offers in bash the names of plans and keys', () => {
    expect(listCompletions('bash', ['key', 'show', ''])).toContain('plans-of-lan')
    expect(listCompletions('bash', ['key', 'show', '--key', ''])).toEqual(['keys-of-lan'])
    expect(listCompletions('bash', ['key', 'print', '--plan', 'p'])).toEqual(['plans-of-lan'])
    expect(listCompletions('bash', ['key', 'list', ''])).not.toContain('plans-of-lan')
  })

  it('offers in bash the completions after an alias', () => {
    expect(listCompletions('bash', ['se'])).toEqual(['secret'])
    expect(listCompletions('bash', ['secret', 'print', '--p'])).toEqual(['--plan'])
  })

  it.skipIf(isMissing('fish'))('offers the same in fish, with descriptions', () => {
    expect(listCompletions('fish', ['ke'])).toEqual(["key\tthe keys' commands"])
    expect(listCompletions('fish', ['key', 'print', '--p'])).toEqual(["--plan\tthe plan's name"])
    expect(listCompletions('fish', ['completion', 'b'])).toEqual(['bash'])
    expect(listCompletions('fish', ['secret', 'print', '--p'])).toEqual(["--plan\tthe plan's name"])
  })

  it.skipIf(isMissing('zsh'))('loads in zsh without an error', () => {
    const folder = makeFolder()
    const file = join(folder, '_companion')
    writeFileSync(file, suggestCompletions('completion', 'zsh'))
    const code = `autoload -U compinit; compinit -D -u; source ${file}; print $_comps[companion]`
    const env = { ...process.env, HOME: folder }
    expect(execFileSync('zsh', ['-f', '-c', code], { encoding: 'utf8', env })).toBe('_companion\n')
  })
})

describe('manual', () => {
  it('lists every command with its options, and escapes roff instructions', () => {
    const page = suggestCompletions('manual')
    expect(page).toContain('.SS companion key print [options]\nprint a key')
    expect(page).toContain(".TP\n.B \\-p, \\-\\-plan <plan>\nthe plan's name")
    expect(page).toContain('\\&.print\\eit')
    expect(page).not.toContain('unseen')
    expect(page.match(/print a key/g)).toHaveLength(1)
  })

  it.skipIf(isMissing('groff'))('renders without a warning', () => {
    const { stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww'], { input: suggestCompletions('manual') })
    expect(String(stderr)).toBe('')
    expect(String(stdout)).toContain('companion 1.2.3')
  })
})
