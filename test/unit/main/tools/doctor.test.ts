import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { dirname, join } from 'node:path'
import { DoctorReport } from '@shared/contract/tools'
import { AppError, type FailureCode } from '@shared/failure'
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest'
import { createEnvironment } from '../../../../src/main/core/environment'
import { realDisk } from '../../../../src/main/core/files/disk'
import { Secret } from '../../../../src/main/core/secret'
import { listModels, probe } from '../../../../src/main/gateway/probe'
import { findBlockers } from '../../../../src/main/tools/conflicting-settings'
import { type DoctorDeps, runDiagnostics } from '../../../../src/main/tools/doctor'
import type { WrittenTarget } from '../../../../src/main/tools/target'
import { claudeCode } from '../../../../src/main/tools/targets/claude-code'
import { directSend } from '../../../support/direct-send'
import { expectFailure } from '../../support/failures'
import { makeFolder } from '../../support/folders'
import { type StubServer, startAnsweringServer } from '../gateway/answering-server'

const KEY = 'sk-doctor-0123456789abcdef'
const OTHER_KEY = 'sk-other-0123456789abcdef'

let home: string
let gateway: StubServer
let world: GatewayScenario
beforeEach(async () => {
  home = makeFolder()
  world = { models: ['gw-large', 'gw-small'], listsModels: true, state: 'active' }
  gateway = await startAnsweringServer((request, response) => answer(request, response))
  configure()
})
afterEach(() => gateway.close())

type GatewayScenario = {
  models: string[]
  listsModels: boolean
  state: 'active' | 'expired' | 'exhausted' | 'broken'
  /** Serves the gateway under a different path than in the spec. */
  prefix?: string
}

const MESSAGE = {
  type: 'message',
  content: [{ type: 'text', text: 'ok' }],
  usage: { input_tokens: 12, output_tokens: 1 },
}
const CHAT_RESPONSE = { choices: [{ message: { content: 'ok' } }], usage: { prompt_tokens: 9, completion_tokens: 2 } }

/** A gateway that checks in the spec's order: path, key, plan, model, quota. */
const answer: RequestListener = (request, response) => {
  const send = (status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }
  const sendError = (status: number, message: string): void => send(status, { error: { message } })
  const { prefix = '/v1' } = world
  const path = request.url?.split('?')[0]
  const isList = path === '/v1/models' && world.listsModels
  if (!isList && ![`${prefix}/messages`, `${prefix}/chat/completions`].includes(path ?? ''))
    return sendError(404, `Not found: ${request.method} ${path}`)
  if (request.headers.authorization !== `Bearer ${KEY}`) return sendError(401, 'Invalid subscription key')
  if (world.state === 'broken') return sendError(500, 'Oops')
  if (world.state === 'expired') return sendError(402, 'Plan expired')
  if (isList) return send(200, { data: world.models.map((id) => ({ id })) })
  const { model } = JSON.parse(gateway.received.at(-1)?.body ?? '{}')
  if (!world.models.includes(model)) return sendError(403, 'Model not in plan')
  if (world.state === 'exhausted') return send(429, { error: { code: 'quota_exhausted', message: 'No tokens left' } })
  return send(200, path?.endsWith('/messages') ? MESSAGE : CHAT_RESPONSE)
}

const settingsFile = (): string => join(home, '.claude', 'settings.json')

function writeFileAt(text: string, path = settingsFile()): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function configure(
  env: Record<string, string> = {},
  otherSettings: Record<string, string> = { apiKeyHelper: 'companion key print' },
): void {
  const ownEnv = { ANTHROPIC_BASE_URL: gateway.url, ANTHROPIC_MODEL: 'gw-large', ...env }
  writeFileAt(JSON.stringify({ ...otherSettings, env: ownEnv }))
}

type Purpose = NonNullable<DoctorDeps['state']['purpose']>

const purpose = (overrides: Partial<Purpose> = {}): Purpose => ({
  gatewayUrl: gateway.url,
  modelCode: 'gw-large',
  slots: {},
  models: ['gw-large', 'gw-small'],
  delivery: 'helper',
  ...overrides,
})

function createDeps(overrides: Partial<DoctorDeps> = {}): DoctorDeps {
  const clock = (): Date => new Date('2026-11-21T10:00:00Z')
  const environment = createEnvironment({ home, platform: 'linux', vars: {} })
  const intent = { base: gateway.url, models: ['gw-large', 'gw-small'] }
  return {
    environment,
    blockers: (settings) => findBlockers(claudeCode, settings, intent, { environment, disk: realDisk }),
    loginShell: async () => ({}),
    disk: realDisk,
    site: { kind: 'user' },
    clock,
    detect: async () => ({ installed: true, executable: '/usr/bin/claude' }),
    state: { status: 'configured', drift: [], purpose: purpose() },
    readKey: async () => new Secret(KEY),
    keptKey: async () => new Secret(KEY),
    check: (request) => probe(request, directSend, clock),
    listModels: (question) => listModels(question, directSend),
    ...overrides,
  }
}

/** A configured tool, with other facts of its setup. */
const configured = (overrides: Partial<Purpose>): Partial<DoctorDeps> => ({
  state: { status: 'configured', drift: [], purpose: purpose(overrides) },
})

const run = async (overrides: Partial<DoctorDeps> = {}, target: WrittenTarget = claudeCode) => {
  const report = await runDiagnostics(target, createDeps(overrides))
  expect(DoctorReport.parse(report)).toEqual(report)
  expect(JSON.stringify(report)).not.toContain(KEY)
  return report
}

const answerWithError =
  (code: FailureCode, message = 'no') =>
  async (): Promise<never> => {
    throw new AppError(code, message)
  }

/** Formats each finding as `check outcome`. A check can have several findings. */
const outline = ({ findings }: DoctorReport): string[] => findings.map(({ check, outcome }) => `${check} ${outcome}`)

/** The findings of a working tool, with another outcome of one check. */
const passedExcept = (check: string, outcome: string): string[] =>
  passedChecks.map((line) => (line === `${check} ok` ? `${check} ${outcome}` : line))

const findFinding = ({ findings }: DoctorReport, check: string) => findings.find((finding) => finding.check === check)

const passedChecks = [
  'installed ok',
  'fileParses ok',
  'ownedValues ok',
  'rivals ok',
  'helperRuns ok',
  'keyAlive ok',
  'suffixRight ok',
  'modelInPlan ok',
  'realRequest ok',
]

/** The checks from `first` on, which were skipped. */
const skippedChecks = (first: string): string[] =>
  passedChecks.slice(passedChecks.indexOf(`${first} ok`)).map((line) => line.replace(' ok', ' skipped'))

/** Expects that all checks before `check` are ok, followed by the given findings. */
const expectFindings = (report: DoctorReport, check: string, ...rest: string[]): void =>
  expect(outline(report)).toEqual([...passedChecks.slice(0, passedChecks.indexOf(`${check} ok`)), ...rest])

describe('a working tool', () => {
  it('passes every check, and reports the cost of its real request', async () => {
    const report = await run()
    expect(outline(report)).toEqual(passedChecks)
    const tool = { toolId: 'claude-code', toolName: 'Claude Code', site: { kind: 'user' } }
    expect(report).toMatchObject({ ...tool, at: '2026-11-21T10:00:00.000Z', outcome: 'ok' })
    expect(findFinding(report, 'fileParses')?.subject).toBe(settingsFile())
    expect(findFinding(report, 'realRequest')).toMatchObject({
      subject: `${gateway.url}/v1/messages`,
      inputTokens: 12,
      outputTokens: 1,
      durationMs: expect.any(Number),
    })
  })

  it.each([
    [true, ['companion-check', 'gw-large']],
    [false, ['companion-check', 'companion-check', 'gw-large']],
  ])('sends one request that costs tokens (models are listed: %s)', async (listsModels, models) => {
    world.listsModels = listsModels
    expect(outline(await run())).toEqual(passedChecks)
    const posted = gateway.received.filter(({ method }) => method === 'POST')
    expect(posted.map(({ body }) => JSON.parse(body).model)).toEqual(models)
  })
})

it('a missing tool is reported with install instructions, and the other checks still run', async () => {
  const report = await run({ detect: async () => ({ installed: false }) })
  expect(outline(report)).toEqual(['installed failed', ...passedChecks.slice(1)])
  expect(report.findings[0]).toMatchObject({ fix: 'install', subject: 'claude' })
  expect(report.findings[0]?.text).toContain('npm install')
  expect(report.outcome).toBe('failed')
})

describe('a settings file', () => {
  const unreadable = ['installed ok', 'fileParses failed', 'ownedValues skipped', 'rivals ok']
  const line = expect.any(Number)

  test.each([
    ['that is cut off', '{\n  "env": {\n', { code: 'file.unparsable', line }],
    ['with a comment that its tool does not take', '{\n  // mine\n  "env": {}\n}', { code: 'file.notStrict', line }],
    ['that is a folder', undefined, { code: 'file.unreadable' }],
  ])('%s is reported', async (_case, text, failure) => {
    rmSync(settingsFile())
    if (text === undefined) mkdirSync(settingsFile())
    else writeFileAt(text)
    const report = await run()
    expect(outline(report)).toEqual([...unreadable, ...skippedChecks('helperRuns')])
    expect(findFinding(report, 'fileParses')).toMatchObject({ subject: settingsFile(), fix: 'openFile', failure })
    expect(gateway.received).toEqual([])
  })

  it('is not parsed when it is missing', async () => {
    rmSync(settingsFile())
    const report = await run({ state: { status: 'absent', drift: [] } })
    expect(findFinding(report, 'fileParses')).toMatchObject({ outcome: 'skipped' })
    expect(findFinding(report, 'ownedValues')).toMatchObject({ outcome: 'failed', fix: 'applyAgain' })
  })
})

describe('the settings of a tool', () => {
  it('are named when the user changed them, and the tool is tested with them', async () => {
    const drift = ['env.ANTHROPIC_MODEL', 'model']
    const report = await run({ state: { status: 'drifted', drift, purpose: purpose() } })
    expect(outline(report)).toEqual(passedExcept('ownedValues', 'warning'))
    expect(findFinding(report, 'ownedValues')).toMatchObject({ subject: drift.join(', '), fix: 'applyAgain' })
    expect(report.outcome).toBe('warning')
  })

  test.each<[string, DoctorDeps['state'], FailureCode, string]>([
    ['that are not ours', { status: 'otherwise', drift: [] }, 'tool.notConfigured', 'applyAgain'],
    [
      'whose record is damaged',
      { status: 'unreadable', drift: [], problem: { code: 'file.unreadable', message: 'x' } },
      'file.unreadable',
      'openFile',
    ],
  ])('%s fail', async (_case, state, code, fix) => {
    const report = await run({ state })
    expect(outline(report).slice(2)).toEqual(['ownedValues failed', 'rivals ok', ...skippedChecks('helperRuns')])
    expect(findFinding(report, 'ownedValues')).toMatchObject({ fix, failure: { code } })
    expect(gateway.received).toEqual([])
  })
})

it('fail when the tool’s own file redirects it, with the command that removes the setting', async () => {
  configure({ CLAUDE_CODE_USE_BEDROCK: '1' })
  const report = await run()
  expect(report.outcome).toBe('failed')
  expect(findFinding(report, 'rivals')).toMatchObject({
    outcome: 'failed',
    subject: 'env.CLAUDE_CODE_USE_BEDROCK',
    fix: 'applyAgain',
    failure: { code: 'tool.overridden', message: expect.stringContaining('--take-out env.CLAUDE_CODE_USE_BEDROCK') },
  })
})

describe('the key of a tool', () => {
  const expectHelperFailure = (report: DoctorReport): void =>
    expectFindings(report, 'helperRuns', 'helperRuns failed', ...skippedChecks('keyAlive'))

  test.each<[string, Partial<DoctorDeps>, FailureCode, string]>([
    ['whose command fails', { readKey: answerWithError('tool.helperFailed') }, 'tool.helperFailed', 'applyAgain'],
    ['that is another one', { readKey: async () => new Secret(OTHER_KEY) }, 'tool.helperFailed', 'applyAgain'],
    ['that is no key', { readKey: answerWithError('clipboard.noKey') }, 'clipboard.noKey', 'applyAgain'],
    [
      'that is in a locked keychain, which is why the command fails',
      { readKey: answerWithError('tool.helperFailed'), keptKey: answerWithError('vault.unavailable') },
      'vault.unavailable',
      'unlockKeychain',
    ],
    [
      'that this app has lost, which is why the command fails',
      { readKey: answerWithError('tool.helperFailed'), keptKey: answerWithError('vault.keyMissing') },
      'vault.keyMissing',
      'replaceKey',
    ],
  ])('%s is reported, and nothing is sent', async (_case, deps, code, fix) => {
    const report = await run(deps)
    expectHelperFailure(report)
    expect(findFinding(report, 'helperRuns')).toMatchObject({ subject: 'companion key print', fix, failure: { code } })
    expect(JSON.stringify(report)).not.toContain(OTHER_KEY)
    expect(gateway.received).toEqual([])
  })

  it('is tested even if it cannot be compared', async () => {
    const report = await run({ keptKey: answerWithError('vault.unavailable') })
    expect(outline(report)).toEqual(passedExcept('helperRuns', 'warning'))
    expect(findFinding(report, 'helperRuns')).toMatchObject({ fix: 'unlockKeychain' })
  })

  it('in a missing environment variable comes with the command that sets it', async () => {
    configure({}, {})
    const exportLine = 'export X="$(companion key print)"'
    const readKey = vi.fn(async () => undefined)
    const report = await run({ ...configured({ delivery: 'env', exportLine }), readKey })
    expect(readKey).toHaveBeenCalledExactlyOnceWith({ kind: 'variable', name: 'ANTHROPIC_AUTH_TOKEN' })
    expectHelperFailure(report)
    expect(findFinding(report, 'helperRuns')).toMatchObject({
      subject: 'ANTHROPIC_AUTH_TOKEN',
      fix: 'copyLine',
      text: exportLine,
    })
  })

  it('is reported when it is missing in the settings', async () => {
    configure({}, {})
    const report = await run()
    expectHelperFailure(report)
    expect(findFinding(report, 'helperRuns')).toMatchObject({
      failure: { code: 'tool.notConfigured' },
      fix: 'applyAgain',
    })
  })

  it('entered in the tool itself cannot be read, so the saved key is tested', async () => {
    configure({}, {})
    const report = await run(configured({ delivery: 'inTool' }))
    expect(outline(report)).toEqual(passedExcept('helperRuns', 'skipped'))
  })
})

describe.each([true, false])('at a gateway (which lists its models: %s)', (listsModels) => {
  beforeEach(() => {
    world.listsModels = listsModels
  })

  test.each<[GatewayScenario['state'], FailureCode, string]>([
    ['expired', 'gateway.planExpired', 'chooseKey'],
    ['broken', 'gateway.serverError', 'retry'],
  ])('a plan that is %s is reported once', async (state, code, fix) => {
    world.state = state
    const report = await run()
    expect(findFinding(report, 'keyAlive')).toMatchObject({ outcome: 'failed', fix, failure: { code } })
    expect(outline(report).slice(-2)).toEqual(skippedChecks('modelInPlan'))
  })

  it('offers to replace a rejected key, and still checks the address', async () => {
    const rejectedKey = new Secret(OTHER_KEY)
    const report = await run({ readKey: async () => rejectedKey, keptKey: async () => rejectedKey })
    expectFindings(report, 'keyAlive', 'keyAlive failed', 'suffixRight ok', ...skippedChecks('modelInPlan'))
    expect(findFinding(report, 'keyAlive')).toMatchObject({
      fix: 'replaceKey',
      failure: { code: 'gateway.keyRejected', message: expect.stringContaining('Invalid subscription key') },
    })
    expect(JSON.stringify(report)).not.toContain(OTHER_KEY)
  })

  it('asks no model without permission', async () => {
    const report = await run({ sendsRequest: false })
    expectFindings(report, 'realRequest', 'realRequest skipped')
    const modelRequestBodies = gateway.received.map(({ body }) => body).filter((body) => body.includes('"model"'))
    expect(modelRequestBodies.filter((body) => world.models.includes(JSON.parse(body).model))).toEqual([])
  })

  it('distinguishes a model outside the plan from an exhausted one', async () => {
    configure({ ANTHROPIC_MODEL: 'gw-unknown' })
    const missingReport = await run()
    expectFindings(missingReport, 'modelInPlan', 'modelInPlan failed', 'realRequest skipped')
    expect(findFinding(missingReport, 'modelInPlan')).toMatchObject({
      subject: 'gw-unknown',
      fix: 'chooseModel',
      failure: { code: 'gateway.modelNotInPlan' },
    })

    configure()
    world.state = 'exhausted'
    const exhaustedReport = await run()
    expectFindings(exhaustedReport, 'realRequest', 'realRequest failed')
    expect(findFinding(exhaustedReport, 'realRequest')).toMatchObject({
      fix: 'chooseModel',
      failure: { code: 'gateway.quotaExhausted' },
    })
  })

  it('warns of a model outside the plan in another slot', async () => {
    const slots = { small: 'gw-small', opus: 'gw-gone', sonnet: 'gw-large' }
    const report = await run(configured({ slots }))
    expectFindings(report, 'realRequest', 'modelInPlan warning', 'realRequest ok')
    expect(report.findings.find(({ outcome }) => outcome === 'warning')).toMatchObject({
      subject: 'gw-gone',
      fix: 'chooseModel',
    })
  })

  test.each([
    ['/v1', '/v1/v1/messages'],
    ['/v1/', '/v1/v1/messages'],
    ['/v1/messages', '/v1/messages/v1/messages'],
    ['/api', '/api/v1/messages'],
  ])('suggests the correct base for one that ends in %s', async (suffix, requestPath) => {
    configure({ ANTHROPIC_BASE_URL: gateway.url + suffix })
    const report = await run()
    expectFindings(report, 'suffixRight', 'suffixRight failed', ...skippedChecks('modelInPlan'))
    const finding = findFinding(report, 'suffixRight')
    expect(finding).toMatchObject({
      subject: gateway.url + requestPath,
      fix: 'applyAgain',
      failure: { code: 'gateway.wrongSuffix' },
    })
    expect(finding?.failure?.message).toContain(`Its base address must be ${gateway.url},`)
    expect(finding?.failure?.message).toContain(`calls ${gateway.url}/v1/messages,`)
  })

  it('accepts a base with a trailing slash', async () => {
    configure({ ANTHROPIC_BASE_URL: `${gateway.url}/` })
    expect(outline(await run())).toEqual(passedChecks)
  })

  it('reports a gateway that only serves the other standard', async () => {
    world.prefix = '/v1/v1'
    const report = await run()
    expect(findFinding(report, 'suffixRight')).toMatchObject({ outcome: 'failed', fix: 'openFile' })
    expect(findFinding(report, 'suffixRight')?.failure?.message).toContain(`must be ${gateway.url}/v1,`)
  })

  it('reports a gateway that does not serve the standard at all', async () => {
    world.prefix = '/elsewhere'
    const report = await run()
    expect(findFinding(report, 'suffixRight')).toMatchObject({
      outcome: 'failed',
      failure: { code: 'gateway.wrongSuffix', message: expect.stringContaining('although the suffix is right') },
    })
    expect(outline(report).slice(-2)).toEqual(skippedChecks('modelInPlan'))
  })
})

describe('an address', () => {
  it('of a third party is neither contacted nor repeated', async () => {
    configure({ ANTHROPIC_BASE_URL: 'https://ann:password@elsewhere.example.com' })
    const report = await run()
    expectFindings(report, 'suffixRight', 'suffixRight failed', ...skippedChecks('modelInPlan'))
    expect(findFinding(report, 'suffixRight')).toMatchObject({
      fix: 'applyAgain',
      failure: { code: 'tool.otherGateway' },
    })
    expect(JSON.stringify(report)).not.toContain('password')
  })

  it('is reported when it is missing in the settings', async () => {
    writeFileAt(JSON.stringify({ apiKeyHelper: 'companion key print' }))
    expect(findFinding(await run(), 'suffixRight')).toMatchObject({ failure: { code: 'tool.notConfigured' } })
  })

  it('where no server listens is reported once, with a retry', async () => {
    await gateway.close()
    const report = await run()
    expectFindings(report, 'keyAlive', 'keyAlive failed', ...skippedChecks('suffixRight'))
    expect(findFinding(report, 'keyAlive')).toMatchObject({ fix: 'retry', failure: { code: 'net.refused' } })
  })

  it('that is a complete endpoint is tested unchanged, and its correct form is named', async () => {
    const endpoint: WrittenTarget = {
      ...claudeCode,
      standard: 'chat-completions',
      base: (url) => `${url}/v1/chat/completions`,
      requestSuffix: '',
    }
    configure({ ANTHROPIC_BASE_URL: `${gateway.url}/v1/chat/completions` })
    const matchingReport = await run({}, endpoint)
    expect(outline(matchingReport)).toEqual(passedChecks)
    expect(findFinding(matchingReport, 'realRequest')).toMatchObject({ inputTokens: 9, outputTokens: 2 })

    configure({ ANTHROPIC_BASE_URL: `${gateway.url}/chat/completions` })
    const finding = findFinding(await run({}, endpoint), 'suffixRight')
    expect(finding).toMatchObject({ outcome: 'failed', subject: `${gateway.url}/chat/completions`, fix: 'applyAgain' })
    expect(finding?.failure?.message).toContain(`must be ${gateway.url}/v1/chat/completions,`)
  })
})

describe('a cancelled diagnosis', () => {
  it('ends immediately and sends no more requests', async () => {
    const controller = new AbortController()
    const readKey = () => {
      controller.abort()
      return new Promise<never>(() => undefined)
    }
    const deps = createDeps({ signal: controller.signal, readKey })
    await expectFailure(runDiagnostics(claudeCode, deps), 'net.cancelled')
    expect(gateway.received).toEqual([])
  })

  it('does nothing when cancelled before it starts', async () => {
    await expectFailure(runDiagnostics(claudeCode, createDeps({ signal: AbortSignal.abort() })), 'net.cancelled')
  })
})

it('an internal error of this app is not a finding', async () => {
  const brokenReport = runDiagnostics(claudeCode, createDeps({ detect: () => Promise.reject(new TypeError('bug')) }))
  await expect(brokenReport).rejects.toThrow('bug')
})
