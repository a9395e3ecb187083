import { expect, it } from 'vitest'
import { resolveLaunch } from '../../../../src/main/tools/mcp-launch'
import type { McpServer } from '../../../../src/main/tools/targets/mcp-entry'

const facts = { name: 'weather', runs: 'npx weather', values: [] }
const program = (changes: Partial<McpServer> = {}) =>
  ({ kind: 'stdio', command: ['npx'], args: [['weather']], env: {}, ...changes }) as McpServer

it('resolves environment variables and settings of a server', () => {
  const server = program({
    args: [['--key=', { raw: '$KEY', env: 'KEY' }], [{ raw: '$A', env: 'A', fallback: 'b' }]],
    settings: [
      { id: 'cwd', name: 'cwd', value: ['/srv'] },
      { id: 'allowedTools', name: 'includeTools', value: ['read'] },
    ],
  })
  expect(resolveLaunch(facts, server, { KEY: 'k' })).toEqual({
    ...facts,
    kind: 'stdio',
    command: 'npx',
    args: ['--key=k', 'b'],
    env: {},
    cwd: '/srv',
    allowedTools: ['read'],
    blockedTools: [],
  })
})

it('rejects variables that only a tool knows, and files with variables', () => {
  const invalid = expect.objectContaining({ failure: expect.objectContaining({ code: 'input.invalid' }) })
  const place = program({ args: [[{ raw: '$workspaceFolder', place: 'workspaceFolder' }]] })
  expect(() => resolveLaunch(facts, place, {})).toThrow(invalid)
  const envFile = program({ settings: [{ id: 'envFile', name: 'envFile', value: ['.env'] }] })
  expect(() => resolveLaunch(facts, envFile, {})).toThrow(invalid)
})
