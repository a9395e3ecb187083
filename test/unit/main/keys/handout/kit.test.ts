import { describe, expect, it } from 'vitest'
import { parseKeyFile, serializeKeyFile } from '../../../../../src/main/keys/handout/kit'
import { buildKeyFile, content, keyText } from './kits'

const buildKeyFileObject = (): Record<string, unknown> => JSON.parse(serializeKeyFile(buildKeyFile()))

describe('a kit', () => {
  it('reads back as written and explains what to do without the app', () => {
    const openedKeyFile = parseKeyFile(serializeKeyFile(buildKeyFile()))
    expect(openedKeyFile.content).toEqual(content)
    expect(openedKeyFile.key.expose()).toBe(keyText)
    expect(buildKeyFileObject().readMe).toContain('https://gw.example.com/v1')
  })

  it('replaces characters that make a name look like another, when reading and writing', () => {
    const addControlCharacters = (name: string) => `${name.slice(0, 2)}\u202e\u0000\u200b${name.slice(2)}\r\n`
    const { from, holder, planName, keyName, purpose = '', acknowledgement } = content
    const hostileKeyFile = {
      from: addControlCharacters(from),
      planName: addControlCharacters(planName),
      keyName: addControlCharacters(keyName),
      purpose: addControlCharacters(purpose),
      holder: { ...holder, name: addControlCharacters(holder.name) },
      acknowledgement: addControlCharacters(acknowledgement),
    }
    expect(parseKeyFile(JSON.stringify({ ...buildKeyFileObject(), ...hostileKeyFile })).content).toEqual(content)
    expect(JSON.parse(serializeKeyFile(buildKeyFile(hostileKeyFile)))).toMatchObject(content)
  })

  it.each<[string, string | object]>([
    ['no JSON', 'hello'],
    ['another document', '{"a":1}'],
    ['a list', '[]'],
    ['an unknown field', { more: 1 }],
    ['a gateway over plain HTTP', { gatewayUrl: 'http://gw.example.com' }],
    ['a gateway with a user in it', { gatewayUrl: 'https://a:b@gw.example.com' }],
    ['a key with a space', { key: `${keyText} x` }],
    ['a key other than the one that is shown', { key: `${keyText}x` }],
    ['a model code with a line break', { models: ['a\nb'] }],
    ['a model code that reads as another', { models: ['aurora\u202egnis'] }],
    ['a plan whose name is not seen', { planName: '\u200b\u2060' }],
    ['a path for a tool', { toolIds: ['../../x'] }],
    ['201 models', { models: Array.from({ length: 201 }, (_, n) => `m${n}`) }],
    ['no acknowledgement', { acknowledgement: undefined }],
  ])('is refused without repeating the key when it is or has %s', (_, document) => {
    const text = typeof document === 'string' ? document : JSON.stringify({ ...buildKeyFileObject(), ...document })
    const refusal = catchRefusal(text)
    expect(refusal).toMatchObject({ failure: { code: 'handout.unreadable' } })
    expect(String(refusal)).not.toContain(keyText)
  })

  it('of a newer version is refused with instructions', () => {
    expect(catchRefusal(JSON.stringify({ ...buildKeyFileObject(), version: 3, news: true }))).toMatchObject({
      message: expect.stringContaining('Update the app'),
    })
  })
})

function catchRefusal(text: string): unknown {
  try {
    return parseKeyFile(text)
  } catch (error) {
    return error
  }
}
