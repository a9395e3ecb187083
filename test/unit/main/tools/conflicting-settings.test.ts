import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Delivery } from '@shared/contract/tools'
import { beforeEach, describe, expect, it } from 'vitest'
import { createEnvironment, type ToolEnvironment } from '../../../../src/main/core/environment'
import { realDisk } from '../../../../src/main/core/files/disk'
import {
  type ConflictSearch,
  findFileConflicts,
  findVariableConflicts,
} from '../../../../src/main/tools/conflicting-settings'
import type { Variables } from '../../../../src/main/tools/login-shell'
import type { ConflictSource } from '../../../../src/main/tools/target'
import { claudeCode } from '../../../../src/main/tools/targets/claude-code'
import { makeFolder } from '../../support/folders'

let home: string
beforeEach(() => {
  home = makeFolder()
})

type EnvironmentInput = { readonly app?: Variables; readonly shell?: Variables; readonly platform?: NodeJS.Platform }

function createConflictSearch({ app = {}, shell = {}, platform = 'linux' }: EnvironmentInput): ConflictSearch {
  const environment = createEnvironment({ home, platform, vars: app })
  return { environment, loginShell: async () => shell, disk: realDisk }
}

const toVariableSources = (...names: string[]): ConflictSource[] => names.map((name) => ({ kind: 'variable', name }))

const projectFile: ConflictSource[] = [
  {
    kind: 'file',
    origin: 'project',
    format: 'jsonc',
    paths: (environment: ToolEnvironment) => [join(environment.home, 'work', 'settings.json')],
    settings: [
      { path: ['env', 'BASE_URL'], decides: 'address' },
      { path: ['model'], decides: 'model' },
    ],
  },
]

/** A tool that reads only the given sources. */
const createTarget = (overriddenBy: readonly ConflictSource[]) => ({
  overriddenBy,
  variable: 'TOOL_KEY',
  files: [claudeCode.files[0]] as const,
})

async function findConflicts(sources: readonly ConflictSource[], environment: ConflictSearch) {
  const target = createTarget(sources)
  const intent = { base: 'https://gw.example.com', models: ['large'] }
  return [
    ...(await findVariableConflicts(target, 'plain', environment)),
    ...(await findFileConflicts(target, undefined, intent, environment)),
  ]
}

function writeProjectFile(text: string | Uint8Array): void {
  mkdirSync(join(home, 'work'))
  writeFileSync(join(home, 'work', 'settings.json'), text)
}

describe('an overriding variable', () => {
  const inShell = { code: 'shellVariable', subject: 'RIVAL', origin: 'loginShell', fix: 'copyLine' }

  it.each<[string, EnvironmentInput, object[]]>([
    ['the login shell', { shell: { RIVAL: 'x' } }, [{ ...inShell, text: 'unset RIVAL' }]],
    ['fish', { app: { SHELL: '/usr/bin/fish' }, shell: { RIVAL: 'x' } }, [{ ...inShell, text: 'set -e RIVAL' }]],
    ['zsh', { app: { SHELL: '/bin/zsh' }, shell: { RIVAL: 'x' } }, [{ ...inShell, text: 'unset RIVAL' }]],
    ['this app’s environment', { app: { RIVAL: 'x' } }, [{ code: 'shellVariable', subject: 'RIVAL', origin: 'app' }]],
    ['both', { app: { RIVAL: 'x' }, shell: { RIVAL: 'x' } }, [{ ...inShell, text: 'unset RIVAL' }]],
    ['both, where it is empty,', { app: { RIVAL: '' }, shell: { RIVAL: '' } }, []],
  ])('of %s is reported once, with the command that unsets it', async (_case, variables, warnings) => {
    const conflicts = await findConflicts(toVariableSources('RIVAL', 'OTHER'), createConflictSearch(variables))
    expect(conflicts).toEqual(warnings)
  })

  it('of the login shell that moves the settings is reported', async () => {
    const environment = createConflictSearch({ shell: { CLAUDE_CONFIG_DIR: '/elsewhere', XDG_CONFIG_HOME: '/x' } })
    expect(await findConflicts([], environment)).toMatchObject([
      { code: 'shellVariable', subject: 'CLAUDE_CONFIG_DIR', origin: 'loginShell' },
    ])
  })

  it.each([
    ['leads to the same folder', {}, '/.claude'],
    ['is set for this app too', { CLAUDE_CONFIG_DIR: '/elsewhere' }, undefined],
  ])('of the login shell that %s moves nothing', async (_case, app, folder) => {
    const CLAUDE_CONFIG_DIR = folder === undefined ? '/elsewhere' : home + folder
    expect(await findConflicts([], createConflictSearch({ app, shell: { CLAUDE_CONFIG_DIR } }))).toEqual([])
  })
})

it.each([
  ['is not there', undefined],
  ['is a folder', null],
  ['cannot be parsed', '{ "model": '],
  ['is no text', Uint8Array.of(0xff, 0xfe, 0x00)],
  ['is empty', ''],
  ['has empty values', '{ "env": { "BASE_URL": "" }, "model": null }'],
])('a file does not override when it %s', async (_case, text) => {
  if (text === null) mkdirSync(join(home, 'work', 'settings.json'), { recursive: true })
  else if (text !== undefined) writeProjectFile(text)
  expect(await findConflicts(projectFile, createConflictSearch({}))).toEqual([])
})

it('values are never reported', async () => {
  writeProjectFile('{ "model": "sk-in-a-file" }')
  const environment = createConflictSearch({ app: { A: 'sk-in-the-app' }, shell: { B: 'sk-in-the-shell' } })
  const conflicts = await findConflicts([...toVariableSources('A', 'B'), ...projectFile], environment)
  expect(conflicts).toHaveLength(3)
  expect(JSON.stringify(conflicts)).not.toContain('sk-in')
})

it('the key variable in the tool’s own file is a conflict only when the key is delivered that way', async () => {
  const target = createTarget(toVariableSources('A'))
  const environment = createConflictSearch({ shell: { A: '1', TOOL_KEY: '1' } })
  const subjects = async (delivery: Delivery) =>
    (await findVariableConflicts(target, delivery, environment)).map(({ subject }) => subject)
  expect(await subjects('envFile')).toEqual(['A', 'TOOL_KEY'])
  for (const delivery of ['helper', 'env', 'plain'] as const) expect(await subjects(delivery)).toEqual(['A'])
})
