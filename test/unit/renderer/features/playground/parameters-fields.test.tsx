import type { PlaygroundParameters, PlaygroundTarget } from '@shared/contract'
import { fireEvent, screen } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import {
  countSetParameters,
  isSendable,
  ParametersFields,
  withParameter,
} from '../../../../../src/renderer/features/playground/parameters-fields'
import { TargetSelect } from '../../../../../src/renderer/features/playground/target-select'
import { clickButton, installMain, renderInApp } from '../../support/fake-main'

const typeInto = (label: string, text: string): boolean =>
  fireEvent.change(screen.getByLabelText(label), { target: { value: text } })

/** Types into an empty field of parameters. Returns the parameters that are sent. */
async function enterParameter(label: string, text: string): Promise<PlaygroundParameters | undefined> {
  installMain({})
  const onChange = vi.fn<(parameters: PlaygroundParameters) => void>()
  const standard = label === 'Top K' ? 'messages' : 'chat-completions'
  await renderInApp(<ParametersFields value={{}} standard={standard} onChange={onChange} />)
  typeInto(label, text)
  return onChange.mock.lastCall?.[0]
}

describe('a parameter', () => {
  it.each([
    ['Temperature', '0.7', { temperature: 0.7 }],
    ['Temperature', '0,7', { temperature: 0.7 }],
    ['Temperature', ' ', {}],
    ['Temperature', '2.1', 'invalid'],
    ['Temperature', 'warm', 'invalid'],
    ['Top P', '-0.1', 'invalid'],
    ['Top K', '1.5', 'invalid'],
    ['Max tokens', '0', 'invalid'],
    ['Max tokens', '4096', { maxTokens: 4096 }],
    ['Seed', '-7', { seed: -7 }],
    ['Seed', '1e30', 'invalid'],
    ['Presence', '-2', { presencePenalty: -2 }],
    ['Stop sequences', '\n', {}],
    ['Stop sequences', 'END\n\n two ', { stop: ['END', ' two '] }],
    ['Stop sequences', '1\n2\n3\n4\n5\n6\n7\n8\n9', { stop: ['1', '2', '3', '4', '5', '6', '7', '8'] }],
  ])('%s of “%s” is sent as %j', async (label, text, expected) => {
    expect(await enterParameter(label, text)).toEqual(expected === 'invalid' ? {} : expected)
    expect(screen.queryByText(/^Enter a .*Not sent\.$/) !== null).toBe(expected === 'invalid')
  })

  it('that is removed is not sent at all', () => {
    const parameters = withParameter({ temperature: 1, seed: 2 }, 'seed', undefined)
    expect(Object.keys(parameters)).toEqual(['temperature'])
    expect([countSetParameters(parameters), countSetParameters({})]).toEqual([1, 0])
  })

  it.each([
    ['tools', '[]', undefined],
    ['tools', '', undefined],
    ['tools', '{}', 'Enter a JSON array: [ … ]'],
    ['tools', '[{', 'Invalid JSON.'],
    ['extra', '{"a": 1}', undefined],
    ['extra', '[]', 'Enter a JSON object: { … }'],
    ['extra', 'null', 'Enter a JSON object: { … }'],
  ] as const)('%s of “%s” is reported at its field', async (name, text, problem) => {
    installMain({})
    await renderInApp(<ParametersFields value={{ [name]: text }} standard="messages" onChange={() => undefined} />)
    expect(screen.queryByText(/^(Invalid JSON|Enter a JSON)/)?.textContent).toBe(problem)
    expect(isSendable({ [name]: text })).toBe(problem === undefined)
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

it.each([
  ['Model', ' large:7b ', { modelCode: 'large:7b' }],
  ['Address', ' http://127.0.0.1:2 ', { url: 'http://127.0.0.1:2' }],
  ['Model', ' ', undefined],
  ['Model', 'two words', undefined],
  ['Address', ' ', undefined],
])(
  'a target with %s “%s” is sent without blanks, once its model and address are complete',
  async (label, text, change) => {
    const target = { kind: 'local', url: 'http://127.0.0.1:1', standard: 'messages', modelCode: 'small:7b' } as const
    installMain({ 'plans.list': () => [], 'playground.connections': () => [], 'playground.models': () => [] })
    const onChange = vi.fn<(target: PlaygroundTarget) => void>()
    await renderInApp(<TargetSelect value={target} onChange={onChange} label="Target" />)
    await clickButton(/small:7b/)
    typeInto(label, text)
    expect(onChange.mock.lastCall?.[0]).toEqual(change && { ...target, ...change })
  },
)
