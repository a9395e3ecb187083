import { shellQuote } from '../environment'
import type { ShellVariable } from '../target'

/** What a small program of ours sets and takes out before it starts another one. */
type LauncherScript = {
  readonly comment: string
  readonly unset?: readonly string[]
  /** Variables without a value are left to the shell. */
  readonly variables?: readonly ShellVariable[]
  /** The command line that it becomes, written for the platform's shell. */
  readonly command: string
}

/** The program's text: a shell script, or a command file on Windows. Variables are read back by `launcherVariables`. */
export function launcherScript(script: LauncherScript, platform: NodeJS.Platform): string {
  const { comment, unset = [], variables = [], command } = script
  const set = variables.flatMap(({ name, value }) => (value === undefined ? [] : [{ name, value }]))
  if (platform !== 'win32') {
    const silenced = unset.length === 0 ? [] : [`unset ${unset.join(' ')}`]
    const exported = set.map(({ name, value }) => `export ${name}=${shellQuote([value], platform)}`)
    return lines(['#!/bin/sh', `# ${comment}`, ...silenced, ...exported, `exec ${command}`], '\n')
  }
  const silenced = unset.map((name) => `set "${name}="`)
  const exported = set.map(({ name, value }) => `set "${name}=${cmdValue(value)}"`)
  // Paths hold letters that no old code page has.
  return lines(
    ['@echo off', `rem ${comment}`, 'chcp 65001 >nul', 'setlocal', ...silenced, ...exported, command],
    '\r\n',
  )
}

/** The variables that a text of `launcherScript` sets, for either platform. */
export function launcherVariables(text: string): Readonly<Record<string, string>> {
  const exported = [...text.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name = '', word = '']) => [name, unquoted(word)])
  const set = [...text.matchAll(/^set "(\w+)=(.+)"\r?$/gm)].map(([, name = '', value = '']) => [name, plain(value)])
  return Object.fromEntries([...exported, ...set])
}

const lines = (all: readonly string[], end: string): string => all.map((line) => line + end).join('')

const unquoted = (word: string): string => (word.startsWith("'") ? word.slice(1, -1).replaceAll(`'\\''`, "'") : word)

/** Within `set "NAME=value"` a value's own quotes end and begin the outer ones: what is between them needs carets. */
function cmdValue(value: string): string {
  return outsideOfQuotes(value, (part) => part.replace(/[&|<>^]/g, '^$&')).replaceAll('%', '%%')
}

function plain(value: string): string {
  return outsideOfQuotes(value.replaceAll('%%', '%'), (part) => part.replace(/\^(.)/g, '$1'))
}

function outsideOfQuotes(value: string, change: (part: string) => string): string {
  const parts = value.split('"')
  return parts.map((part, index) => (index % 2 === 0 ? part : change(part))).join('"')
}
