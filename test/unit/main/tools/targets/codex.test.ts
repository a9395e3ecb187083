import { expect, test } from 'vitest'
import { codex } from '../../../../../src/main/tools/targets/codex'
import { environmentOn, inputFor, placesOf } from '../support/target-input'

const platforms = ['linux', 'win32'] as const

function written(platform: (typeof platforms)[number], input = inputFor(codex)): string | undefined {
  const [edit] = codex.files[0].edits(input, {}, environmentOn(platform))
  return edit !== undefined && 'value' in edit ? String(edit.value) : undefined
}

const readBack = (platform: (typeof platforms)[number], input = inputFor(codex)) =>
  codex.readBack({ settings: { content: written(platform, input) ?? '' } }, environmentOn(platform))

test('the program of ours is where programs of a user are, and its own settings stay alone', () => {
  expect(placesOf(codex, environmentOn('linux'))).toEqual({ settings: '/home/an/.local/bin/codex-companion' })
  expect(placesOf(codex, environmentOn('win32'))).toEqual({
    settings: 'C:\\Users\\an\\AppData\\Local\\Microsoft\\WindowsApps\\codex-companion.cmd',
  })
})

test('it can be pointed at the relay only', () => {
  expect(codex.routes).toEqual(['relay'])
})

test.each(platforms)('address, model and way to the key are read back out of its text on %s', (platform) => {
  const found = { base: 'https://plan.example.com/v1', modelCode: "o'neil/coder 100%" }
  const { modelCode } = found
  expect(readBack(platform, inputFor(codex, { modelCode }))).toEqual({
    ...found,
    credential: { kind: 'helper', command: '/opt/companion key print' },
  })
  expect(readBack(platform, inputFor(codex, { modelCode, delivery: 'env' }))).toEqual({
    ...found,
    credential: { kind: 'variable', name: 'PLATFORM_COMPANION_CODEX_KEY' },
  })
})

test('a program of somebody else under that name says nothing', () => {
  const settings = { content: '#!/bin/sh\nexec codex --full-auto "$@"\n' }
  expect(codex.readBack({ settings }, environmentOn('linux'))).toEqual({})
})

test('nothing is written without a way to the key', () => {
  expect(written('linux', inputFor(codex, { helperArgv: undefined }))).toBeUndefined()
})

test('on Windows no argument has a quote in it that a program could misread, and each line but the last goes on', () => {
  const helperArgv = ['C:\\Users\\an\\companion.cmd', 'key', 'print']
  const lines = written('win32', inputFor(codex, { helperArgv }))?.split('\r\n') ?? []
  expect(lines).toContain(`  -c "model_providers.platform-companion.auth.command='C:\\Users\\an\\companion.cmd'" ^`)
  expect(lines).toContain(`  -c "model_providers.platform-companion.auth.args=['key','print']" ^`)
  expect(lines.slice(-2)).toEqual(['  %*', ''])
  expect(lines.filter((line) => line.startsWith('  -c')).every((line) => /^ {2}-c "[^"]+" \^$/.test(line))).toBe(true)
})
