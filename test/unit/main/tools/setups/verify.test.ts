import { describe, expect, it, test } from 'vitest'
import { createEnvironment, type ToolEnvironment } from '../../../../../src/main/core/environment'
import { buildTargetInput } from '../../../../../src/main/tools/apply'
import { findContext } from '../../../../../src/main/tools/setups/config-scopes'
import { buildToolRequest } from '../../../../../src/main/tools/setups/setup-request'
import {
  buildGuide,
  checkGuide,
  listOtherWarnings,
  missingLauncherWarning,
} from '../../../../../src/main/tools/setups/verify'
import type { TargetInput } from '../../../../../src/main/tools/target'
import { guidedTarget, writtenTarget } from '../../../../../src/main/tools/targets'
import { createHarness, key, plan } from './bench'

const cursor = guidedTarget('cursor')
const values = { planId: 'p1', modelCode: 'large' }

describe('manual setup instructions', () => {
  it('contain the fields of the tool’s form, with the key to copy', () => {
    const guide = buildGuide(cursor, values, createHarness().deps)
    expect(guide).toMatchObject({
      place: ['Cursor Settings', 'Models', 'API Keys'],
      fields: [
        { label: 'OpenAI API Key' },
        { label: 'Override OpenAI Base URL', value: 'https://gw.example.com/v1' },
        { label: 'Add or search model', value: 'large' },
      ],
      requestAddress: 'https://gw.example.com/v1/chat/completions',
    })
    expect(guide.fields[0]).not.toHaveProperty('value')
    expect(JSON.stringify(guide)).not.toContain(key.expose())
  })

  it('warn that the tool maker’s servers cannot reach a local gateway', () => {
    const gatewayUrl = 'http://127.0.0.1:4860'
    const { deps } = createHarness({ plans: [plan({ gatewayUrl })] })
    const warning = { code: 'remoteMaker', subject: gatewayUrl }
    expect(buildGuide(cursor, values, deps).warnings).toContainEqual(warning)
    expect(buildGuide(guidedTarget('cherry-studio'), values, deps).warnings).not.toContainEqual(warning)
    expect(JSON.stringify(buildGuide(cursor, values, createHarness().deps))).not.toContain('remoteMaker')
  })

  it('are verified with one request in the tool’s form, with the selected key', async () => {
    const { deps, asked } = createHarness()
    expect(await checkGuide(cursor, { ...values, keyId: 'k2' }, deps)).toMatchObject({ ok: true })
    expect(asked).toMatchObject([
      {
        standard: 'chat-completions',
        requestAddress: 'https://gw.example.com/v1/chat/completions',
        modelCode: 'large',
      },
    ])
    expect(asked[0]?.key.expose()).toBe(key.expose())
  })

  it('fail for a removed plan or key before anything is sent', async () => {
    const { deps, asked } = createHarness({ plans: [plan({ keys: [] })] })
    expect(() => buildGuide(cursor, { ...values, planId: 'none' }, deps)).toThrow('There is no plan none.')
    await expect(checkGuide(cursor, values, deps)).rejects.toMatchObject({ failure: { code: 'key.notFound' } })
    expect(asked).toEqual([])
  })
})

async function getWarnings(toolId: string, input: Partial<TargetInput> = {}, environment?: ToolEnvironment) {
  const { deps, machine } = createHarness()
  const target = writtenTarget(toolId)
  const request = await buildToolRequest(target, { toolId, planId: 'p1', modelCode: 'large' }, deps)
  const place = await findContext(machine)
  return listOtherWarnings(target, {
    input: { ...buildTargetInput(target, request), ...input },
    place: environment ? { ...place, environment } : place,
    loginShell: async () => ({}),
  })
}

describe('warnings before writing', () => {
  it('are empty when nothing overrides', async () => {
    expect(await getWarnings('claude-code')).toEqual([])
  })

  it('contain that support for a tool is based on its documentation only', async () => {
    expect(await getWarnings('junie')).toContainEqual({ code: 'notTried' })
    expect(await getWarnings('opencode')).not.toContainEqual({ code: 'notTried' })
  })
})

test.each([
  ['bash on Linux', 'linux', '/bin/bash', 'export KEY="$(companion key print)"'],
  ['zsh on a Mac', 'darwin', '/bin/zsh', 'export KEY="$(companion key print)"'],
  ['fish', 'linux', '/usr/bin/fish', 'set -gx KEY (companion key print)'],
  ['PowerShell', 'win32', '', '$env:KEY = & companion key print'],
] as const)('the command for %s uses its syntax', async (_name, platform, SHELL, line) => {
  const environment = createEnvironment({ home: '/home/an', platform, vars: { SHELL } })
  const input = { delivery: 'env', variable: 'KEY', helperCommand: 'companion key print' } as const
  const warning = { code: 'variableNeeded', subject: 'KEY', fix: 'copyLine', text: line }
  expect(await getWarnings('claude-code', input, environment)).toContainEqual(warning)
})

const launcherPath = '/data/bin/companion'
const buildLauncherScript = () => '#!/bin/sh\nexec companion "$@"\n'

test.each(['helper', 'env'] as const)(
  'the launcher that %s calls is previewed as a new file, line by line',
  (delivery) => {
    expect(missingLauncherWarning(delivery, { path: launcherPath, lost: buildLauncherScript })).toEqual([
      {
        path: launcherPath,
        action: 'create',
        holdsKey: false,
        lines: [
          { kind: 'added', text: '#!/bin/sh', newLine: 1 },
          { kind: 'added', text: 'exec companion "$@"', newLine: 2 },
        ],
      },
    ])
  },
)

it('the preview has no new file when the launcher exists or nothing calls it', () => {
  expect(missingLauncherWarning('helper', { path: launcherPath, lost: () => undefined })).toEqual([])
  expect(missingLauncherWarning('helper', { path: launcherPath })).toEqual([])
  for (const delivery of ['file', 'envFile', 'inTool', 'plain'] as const)
    expect(missingLauncherWarning(delivery, { path: launcherPath, lost: buildLauncherScript })).toEqual([])
})
