import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Snippet } from '@shared/contract/tools'
import { beforeEach, describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { createEnvironment, joinPath } from '../../../../src/main/core/environment'
import { buildSnippets } from '../../../../src/main/tools/snippets'
import type { Edit, TargetFile, TargetInput, WrittenTarget } from '../../../../src/main/tools/target'
import { makeFolder } from '../../support/folders'
import { twoFileTarget } from './support/two-files'

const KEY = 'sk-snippet-0123456789abcdef'

let home: string
beforeEach(() => {
  home = makeFolder()
})

const environment = createEnvironment({ home: '/home/minh', platform: 'linux', vars: {} })

const settings = (edits: TargetFile['edits'], overrides: Partial<TargetFile> = {}): TargetFile => ({
  id: 'settings',
  format: 'json',
  path: (env) => joinPath(env, env.project ?? joinPath(env, env.home, '.some tool'), 'settings.json'),
  edits,
  ...overrides,
})

function tool(overrides: Partial<WrittenTarget>): WrittenTarget {
  const files: WrittenTarget['files'] = [settings(buildReferenceEdits)]
  return { ...twoFileTarget, name: 'Some Tool', deliveries: ['env'], variable: 'PLATFORM_KEY', files, ...overrides }
}

const input = {
  gatewayUrl: 'https://plan.example.com',
  modelCode: 'gw-large',
  slots: {},
  models: ['gw-large'],
  contextTokens: 128_000,
  delivery: 'helper',
  helperCommand: '/opt/companion key print',
  variable: 'PLATFORM_KEY',
} as const

const address = ({ gatewayUrl }: TargetInput): Edit => ({ path: ['base'], value: `${gatewayUrl}/v1`, role: 'address' })

function buildReferenceEdits(targetInput: TargetInput): Edit[] {
  return [address(targetInput), { path: ['key'], value: `\${${targetInput.variable}}`, role: 'credential' }]
}

function buildKeyEdits(targetInput: TargetInput): Edit[] {
  const provider = { name: 'It’s $5 `now` \\o/', auth: [targetInput.key] }
  return [address(targetInput), { path: ['providers'], element: { name: provider.name }, value: provider }]
}

const findSnippets = (kind: Snippet['kind'], target: WrittenTarget, targetEnvironment = environment): Snippet[] =>
  buildSnippets(target, input, targetEnvironment).filter((snippet) => snippet.kind === kind)

const readText = (kind: Snippet['kind'], target: WrittenTarget): string => {
  const [snippet, ...otherSnippets] = findSnippets(kind, target)
  expect(otherSnippets).toEqual([])
  return snippet?.text ?? ''
}

/** Runs commands in an empty home, like a container or a CI job. */
const run = (commands: string, vars: Record<string, string> = {}): void => {
  execFileSync('/bin/sh', ['-c', commands], { cwd: home, env: { PATH: '/usr/bin:/bin', HOME: home, ...vars } })
}

const readWrittenSettings = (path = '.some tool/settings.json'): unknown =>
  JSON.parse(readFileSync(join(home, path), 'utf8'))

const readStep = (text: string): string => {
  const { steps } = parseYaml(text)
  expect(steps).toHaveLength(1)
  // Resolves the workflow's expressions.
  return steps[0].run.replaceAll(`\${{ '\${{' }}`, `\${{`)
}

/** Reference to the key in the snippet of each kind of machine. */
const machines = [
  ['devcontainer', `\${localEnv:PLATFORM_KEY}`],
  ['ci', `\${{ secrets.PLATFORM_KEY }}`],
] as const

/** Runs a snippet like its machine, with the key in the variable. Returns the variables that the snippet sets. */
function runSnippet(kind: 'devcontainer' | 'ci', target: WrittenTarget): unknown {
  const text = readText(kind, target)
  const block = kind === 'ci' ? { remoteEnv: parseYaml(text).env, postCreateCommand: readStep(text) } : JSON.parse(text)
  run(block.postCreateCommand, { PLATFORM_KEY: KEY })
  return block.remoteEnv
}

describe('a tool with a configurable key variable', () => {
  it('has its file as written into an empty one', () => {
    const [file] = findSnippets('file', tool({}))
    expect(file).toMatchObject({ path: '/home/minh/.some tool/settings.json', language: 'json' })
    expect(JSON.parse(file?.text ?? '')).toEqual({ base: 'https://plan.example.com/v1', key: `\${PLATFORM_KEY}` })
  })

  it.each(machines)('has a %s that gets the key as a variable and writes the file', (kind, reference) => {
    expect(runSnippet(kind, tool({}))).toEqual({ PLATFORM_KEY: reference })
    expect(readWrittenSettings()).toEqual({ base: 'https://plan.example.com/v1', key: `\${PLATFORM_KEY}` })
  })
})

describe('a tool with its own env file', () => {
  const files: WrittenTarget['files'] = [
    settings(({ key, variable }) => [{ path: [variable], value: key, role: 'credential' }], {
      id: 'env',
      format: 'dotenv',
      path: (env) => joinPath(env, env.home, '.some', '.env'),
    }),
    settings(
      (targetInput) => [
        address(targetInput),
        { path: ['key'], value: `\${{ secrets.PLATFORM_KEY }}`, role: 'credential' },
      ],
      { format: 'yaml', path: (env) => joinPath(env, env.home, '.some', 'config.yaml') },
    ),
  ]
  const target = tool({ deliveries: ['helper', 'envFile', 'plain'], files })

  it('has both files, with a placeholder for the key in the first', () => {
    const [env, config, ...otherSnippets] = findSnippets('file', target)
    expect(otherSnippets).toEqual([])
    expect(env).toMatchObject({ language: 'dotenv', path: '/home/minh/.some/.env' })
    expect(env?.text).toMatch(/^PLATFORM_KEY=.*<your key>/)
    expect(config).toMatchObject({ language: 'yaml' })
    expect(parseYaml(config?.text ?? '')).toMatchObject({ key: `\${{ secrets.PLATFORM_KEY }}` })
  })

  it('has a CI job that escapes the tool’s own references, and no file with the key', () => {
    const text = readText('ci', target)
    expect(parseYaml(text).steps[0].run).not.toContain(`\${{ secrets`)
    run(readStep(text))
    expect(readdirSync(join(home, '.some'))).toEqual(['config.yaml'])
    expect(parseYaml(readFileSync(join(home, '.some/config.yaml'), 'utf8'))).toMatchObject({
      key: `\${{ secrets.PLATFORM_KEY }}`,
    })
  })
})

describe('a tool whose file must contain the key', () => {
  const target = tool({ deliveries: ['plain'], files: [settings(buildKeyEdits)] })
  const provider = { name: 'It’s $5 `now` \\o/', auth: [KEY] }

  it('has a file with a placeholder, and no shell commands', () => {
    expect(JSON.parse(readText('file', target))).toMatchObject({ providers: [{ auth: ['<your key>'] }] })
    expect(findSnippets('shell', target)).toEqual([])
  })

  it.each(machines)('has a %s whose shell inserts the key, and nothing else', (kind, reference) => {
    expect(runSnippet(kind, target)).toEqual({ PLATFORM_KEY: reference })
    expect(readWrittenSettings()).toMatchObject({ providers: [provider] })
    expect(statSync(join(home, '.some tool/settings.json')).mode & 0o777).toBe(0o600)
  })
})

describe('a tool that is configured by variables only', () => {
  const target = tool({
    deliveries: ['helper', 'plain'],
    files: [settings(buildKeyEdits)],
    shell: ({ gatewayUrl }) => [
      { name: 'SOME_BASE', value: gatewayUrl },
      { name: 'SOME_NAME', value: `it's "5 $"` },
      { name: 'SOME_TOKEN', value: undefined },
    ],
  })

  it('has commands that a shell reads exactly', () => {
    run(`${readText('shell', target)} printf '%s|%s' "$SOME_NAME" "$SOME_TOKEN" > out`)
    expect(readFileSync(join(home, 'out'), 'utf8')).toBe(`it's "5 $"|<your key>`)
    expect(readText('powershell', target)).toContain(`$env:SOME_NAME = 'it''s "5 $"'\n`)
  })

  it('has snippets without a file', () => {
    const variables = { SOME_BASE: 'https://plan.example.com', SOME_NAME: `it's "5 $"` }
    expect(JSON.parse(readText('devcontainer', target))).toEqual({
      remoteEnv: { ...variables, SOME_TOKEN: `\${localEnv:PLATFORM_KEY}` },
    })
    expect(parseYaml(readText('ci', target))).toEqual({
      env: { ...variables, SOME_TOKEN: `\${{ secrets.PLATFORM_KEY }}` },
    })
  })
})

it('a tool for another system has no snippets for Linux', () => {
  const file = settings(buildReferenceEdits, {
    path: (env) => (env.platform === 'darwin' ? '/Library/x.json' : undefined),
  })
  const snippets = buildSnippets(tool({ files: [file] }), input, { ...environment, platform: 'darwin' })
  expect(snippets.map(({ kind }) => kind)).toEqual(['file', 'shell', 'powershell'])
})

it.each<[string, Partial<WrittenTarget>]>([
  ['into whose window the key is typed', { deliveries: ['inTool', 'env'] }],
  ['that knows no variable', { variable: '', deliveries: ['plain'], files: [settings(buildKeyEdits)] }],
])('a tool %s has no snippets', (_case, overrides) => {
  const { variable = 'PLATFORM_KEY' } = overrides
  const snippetKinds = buildSnippets(tool(overrides), { ...input, variable }, environment).map(({ kind }) => kind)
  expect(snippetKinds).toContain('file')
  expect(snippetKinds).not.toContain('devcontainer')
  expect(snippetKinds).not.toContain('ci')
})

it('project settings are written into the folder that the snippet runs in', () => {
  const [block] = findSnippets('devcontainer', tool({}), { ...environment, project: '/home/minh/code' })
  run(JSON.parse(block?.text ?? '').postCreateCommand)
  expect(readWrittenSettings('settings.json')).toMatchObject({ base: 'https://plan.example.com/v1' })
})

it('files without our settings are omitted', () => {
  const target = tool({ files: [settings(buildReferenceEdits), settings(() => [], { id: 'other' })] })
  expect(findSnippets('file', target)).toHaveLength(1)
})

it('a tool that only works through the local relay has no snippets for other machines', () => {
  const build = () => buildSnippets(tool({ routes: ['relay'] }), input, environment)
  expect(build).toThrow(/through the relay of this computer/)
})
