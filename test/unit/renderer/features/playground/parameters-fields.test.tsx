import { screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import {
  countSetParameters,
  findJsonProblem,
  isSendable,
  numberParameters,
  ParametersFields,
  parseStopSequences,
  readNumber,
  withParameter,
} from '../../../../../src/renderer/features/playground/parameters-fields'
import { toCompleteTarget } from '../../../../../src/renderer/features/playground/target-select'
import { installMain, renderInApp } from '../../support/fake-main'

describe('a parameter', () => {
  it.each([
    ['temperature', '0.7', 0.7],
    ['temperature', '0,7', 0.7],
    ['temperature', ' ', undefined],
    ['temperature', '2.1', 'invalid'],
    ['temperature', 'warm', 'invalid'],
    ['topP', '-0.1', 'invalid'],
    ['topK', '1.5', 'invalid'],
    ['maxTokens', '0', 'invalid'],
    ['maxTokens', '4096', 4096],
    ['seed', '-7', -7],
    ['seed', '1e30', 'invalid'],
    ['presencePenalty', '-2', -2],
  ])('%s of “%s” is parsed as %s', (name, text, expected) => {
    const parameter = numberParameters.find((candidate) => candidate.name === name)
    expect(parameter && readNumber(text, parameter)).toBe(expected)
  })

  it('that is removed is not sent at all', () => {
    const parameters = withParameter({ temperature: 1, seed: 2 }, 'seed', undefined)
    expect(Object.keys(parameters)).toEqual(['temperature'])
    expect([countSetParameters(parameters), countSetParameters({})]).toEqual([1, 0])
  })

  it.each([
    ['tools', '[]', undefined],
    ['tools', '', undefined],
    ['tools', '{}', 'notArray'],
    ['tools', '[{', 'unreadable'],
    ['extra', '{"a": 1}', undefined],
    ['extra', '[]', 'notObject'],
    ['extra', 'null', 'notObject'],
  ] as const)('%s of “%s” is reported at its field', (name, text, trouble) => {
    expect(findJsonProblem(name, text)).toBe(trouble)
    expect(isSendable({ [name]: text })).toBe(trouble === undefined)
  })

  it('stop accepts one text per line, at most eight, with their spaces', () => {
    expect(parseStopSequences('\n')).toBeUndefined()
    expect(parseStopSequences('END\n\n two ')).toEqual(['END', ' two '])
    expect(parseStopSequences('1\n2\n3\n4\n5\n6\n7\n8\n9')).toHaveLength(8)
  })
})

it.each([
  ['messages', undefined, [true, false]],
  ['messages', 40, [true, false]],
  ['chat-completions', undefined, [false, false]],
  ['chat-completions', 40, [true, true]],
] as const)('with %s, Top K of %s is offered and refused by name: %j', async (standard, topK, visibility) => {
  installMain({})
  await renderInApp(<ParametersFields value={{ topK }} standard={standard} onChange={() => undefined} />)
  const field = screen.queryByLabelText('Top K')
  const refusal = screen.queryByText('Not supported by this API format. Clear it.')
  expect([field !== null, refusal !== null]).toEqual(visibility)
})

it('a target is sent without blanks, once its model and address are complete', () => {
  const target = { kind: 'local', url: 'http://127.0.0.1:1', standard: 'messages', modelCode: 'small:7b' } as const
  expect(toCompleteTarget({ ...target, url: ` ${target.url} `, modelCode: 'small:7b ' })).toEqual(target)
  expect(toCompleteTarget({ ...target, modelCode: ' ' })).toBeUndefined()
  expect(toCompleteTarget({ ...target, modelCode: 'two words' })).toBeUndefined()
  expect(toCompleteTarget({ ...target, url: ' ' })).toBeUndefined()
})
