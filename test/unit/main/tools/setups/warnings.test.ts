import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { createEnvironment } from '../../../../../src/main/core/environment'
import { buildTargetInput } from '../../../../../src/main/tools/apply'
import { findContext } from '../../../../../src/main/tools/setups/config-scopes'
import { buildToolRequest } from '../../../../../src/main/tools/setups/setup-request'
import { exportLine, listOtherWarnings, missingLauncherWarning } from '../../../../../src/main/tools/setups/verify'
import { writtenTarget } from '../../../../../src/main/tools/targets'
import { createHarness } from './bench'

async function getWarnings(toolId: string, { deps, machine } = createHarness()) {
  const target = writtenTarget(toolId)
  const request = await buildToolRequest(target, { toolId, planId: 'p1', modelCode: 'large' }, deps)
  return listOtherWarnings(target, {
    input: buildTargetInput(target, request),
    place: await findContext(machine),
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

  it('name an overriding file with its setting', async () => {
    const harness = createHarness()
    const path = join(harness.home, '.claude/remote-settings.json')
    mkdirSync(dirname(path))
    writeFileSync(path, '{ "env": { "ANTHROPIC_BASE_URL": "https://elsewhere.example.com" } }')
    expect(await getWarnings('claude-code', harness)).toEqual([
      { code: 'keySentElsewhere', origin: 'managed', path, subject: 'env.ANTHROPIC_BASE_URL', fix: 'openFile' },
    ])
  })
})

test.each([
  ['bash on Linux', 'linux', '/bin/bash', 'export KEY="$(companion key print)"'],
  ['zsh on a Mac', 'darwin', '/bin/zsh', 'export KEY="$(companion key print)"'],
  ['fish', 'linux', '/usr/bin/fish', 'set -gx KEY (companion key print)'],
  ['PowerShell', 'win32', '', '$env:KEY = & companion key print'],
] as const)('the command for %s uses its syntax', (_name, platform, SHELL, line) => {
  const environment = createEnvironment({ home: '/home/an', platform, vars: { SHELL } })
  expect(exportLine('KEY', 'companion key print', environment)).toBe(line)
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
