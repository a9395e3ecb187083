import { failureCodes } from '@shared/failure'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { explainFailure, type FailureContext } from '../../../../src/renderer/failures/explain-failure'
import type { Locale } from '../../../../src/renderer/format'
import { setLocale, startI18n } from '../../../../src/renderer/i18n'

beforeAll(() => startI18n('en'))
beforeEach(() => setLocale('en'))

const catchFailure = (code: (typeof failureCodes)[number], extraFields = {}) => ({
  code,
  message: 'for the log',
  ...extraFields,
})

const fullContext: FailureContext = {
  plan: 'team',
  tool: 'Claude Code',
  file: '/home/lan/.claude/settings.json',
  modelCode: 'large',
  requestAddress: 'https://gateway.example.com/v1/messages',
  status: 401,
}

describe.each<Locale>(['en', 'vi'])('explanations in %s', (locale) => {
  beforeEach(() => setLocale(locale))

  it.each(failureCodes)('contain event, cause and remedy for %s, without unfilled placeholders', (code) => {
    for (const context of [undefined, fullContext]) {
      const { title, explanation, remedy } = explainFailure(catchFailure(code), context)
      for (const text of [title, explanation, remedy]) {
        expect(text).not.toMatch(/\{\{|\}\}|undefined|codes\./)
        expect(text.length).toBeGreaterThan(5)
      }
      expect(new Set([title, explanation, remedy]).size).toBe(3)
    }
  })

  it('have a unique title for every code', () => {
    const titles = failureCodes.map((code) => explainFailure(catchFailure(code), fullContext).title)
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([])
  })
})

describe('an explanation', () => {
  it.each<Locale>(['en', 'vi'])('of a refused key names the rotation and offers the new key, in %s', async (locale) => {
    await setLocale(locale)
    const keyRejectedFailure = catchFailure('gateway.keyRejected')
    const replacedKey = { disabledKey: 'ci', newKey: 'ci-2026-11-23' }
    const replacedKeyTexts = explainFailure(keyRejectedFailure, replacedKey)
    expect(replacedKeyTexts.action).toBe('useNewKey')
    expect(replacedKeyTexts.explanation).toContain('“ci”')
    expect(replacedKeyTexts.explanation).toContain('“ci-2026-11-23”')
    const disabledKeyTexts = explainFailure(keyRejectedFailure, { disabledKey: 'ci' })
    expect(disabledKeyTexts).toMatchObject({ action: 'chooseKey' })
    expect(disabledKeyTexts.explanation).toContain('“ci”')
  })

  it('differs, with its own remedy, for each gateway refusal', () => {
    const remedies = {
      'gateway.wrongSuffix': 'setAddress',
      'gateway.keyRejected': 'pasteKey',
      'gateway.modelNotInPlan': 'chooseModel',
      'gateway.planExpired': 'choosePlan',
      'gateway.quotaExhausted': 'chooseModel',
      'net.refused': 'setAddress',
      'net.tls': 'setAddress',
      'net.timeout': 'tryAgain',
    } as const
    const codes = Object.keys(remedies) as (keyof typeof remedies)[]
    const failureTexts = codes.map((code) => explainFailure(catchFailure(code), fullContext))
    expect(new Set(failureTexts.map(({ explanation }) => explanation)).size).toBe(codes.length)
    expect(failureTexts.map(({ action }) => action)).toEqual(Object.values(remedies))
  })

  it.each<Locale>(['en', 'vi'])('of a handed-over key names its issuer, in %s', async (locale) => {
    await setLocale(locale)
    for (const code of ['gateway.keyRejected', 'gateway.planExpired', 'gateway.modelNotInPlan'] as const) {
      const ownTexts = explainFailure(catchFailure(code), fullContext)
      const handedOverTextKey = explainFailure(catchFailure(code), { ...fullContext, isHandedOver: true })
      expect(handedOverTextKey).toEqual({ ...ownTexts, remedy: handedOverTextKey.remedy })
      expect(handedOverTextKey.remedy).toMatch(/issued|người cấp/)
      expect(handedOverTextKey.remedy).not.toMatch(/console|Models/)
    }
  })

  it('names the affected model, plan and line', () => {
    expect(explainFailure(catchFailure('gateway.modelNotInPlan'), fullContext).explanation).toContain('“large”')
    expect(explainFailure(catchFailure('gateway.planExpired'), fullContext).explanation).toContain('“team”')
    const unparsableFailure = catchFailure('file.unparsable', { line: 12 })
    expect(explainFailure(unparsableFailure, fullContext).explanation).toContain('in line 12')
    expect(explainFailure(catchFailure('file.notStrict', { line: 7 }), fullContext)).toMatchObject({
      title: 'Claude Code ignores this whole file',
      action: 'moveComments',
      also: 'showFile',
    })
  })

  it('shows the gateway’s retry delay', () => {
    const delayedFailure = catchFailure('gateway.rateLimited', { retryAfterMs: 30_000 })
    expect(explainFailure(delayedFailure).remedy).toBe('Try again in 30 s.')
    expect(explainFailure(catchFailure('gateway.rateLimited')).remedy).toBe('Try again in a moment.')
  })

  it('keeps the case of a host at the start of a sentence, and capitalizes its fallback text', () => {
    const context = { requestAddress: 'https://gateway.example.com/v1' }
    const { explanation } = explainFailure(catchFailure('net.timeout'), context)
    expect(explanation).toMatch(/^gateway\.example\.com did/)
    expect(explainFailure(catchFailure('net.timeout')).explanation).toMatch(/^The host did/)
  })

  it('offers to start the sandbox when its address does not respond', () => {
    const context = { isSandbox: true, requestAddress: 'http://127.0.0.1:4860/v1' }
    const failureText = explainFailure(catchFailure('net.refused'), context)
    expect(failureText).toMatchObject({ title: 'The sandbox is not running', action: 'startSandbox' })
    expect(failureText.explanation).toContain('127.0.0.1:4860')
  })

  it.each(['account.unknownOutcome', 'account.keyNotKept'] as const)('never offers a retry after %s', (code) => {
    const { action, also } = explainFailure(catchFailure(code))
    expect([action, also]).not.toContain('tryAgain')
  })

  it('asks for the key again when the pasted one has been dropped', () => {
    expect(explainFailure(catchFailure('key.notFound', { field: 'pendingId' })).action).toBe('pasteKey')
    expect(explainFailure(catchFailure('key.notFound')).action).toBe('tryAgain')
  })
})
