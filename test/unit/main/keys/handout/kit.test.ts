import { describe, expect, it } from 'vitest'
import { kitText, readKit } from '../../../../../src/main/keys/handout/kit'
import { content, keyText, kit } from './kits'

const buildKitObject = (): Record<string, unknown> => JSON.parse(kitText(kit()))

describe('a kit', () => {
  it('reads back as written and explains what to do without the app', () => {
    const openedKit = readKit(kitText(kit()))
    expect(openedKit.content).toEqual(content)
    expect(openedKit.key.expose()).toBe(keyText)
    expect(buildKitObject().readMe).toContain('https://gw.example.com/v1')
  })

  it('replaces characters that make a name look like another, when reading and writing', () => {
    const addControlCharacters = (name: string) => `${name.slice(0, 2)}\u202e\u0000\u200b${name.slice(2)}\r\n`
    const { from, holder, planName, keyName, purpose = '', acknowledgement } = content
    const hostileKit = {
      ...{
        from: addControlCharacters(from),
        planName: addControlCharacters(planName),
        keyName: addControlCharacters(keyName),
        purpose: addControlCharacters(purpose),
      },
      ...{
        holder: { ...holder, name: addControlCharacters(holder.name) },
        acknowledgement: addControlCharacters(acknowledgement),
      },
    }
    expect(readKit(JSON.stringify({ ...buildKitObject(), ...hostileKit })).content).toEqual(content)
    expect(JSON.parse(kitText(kit(hostileKit)))).toMatchObject(content)
  })

  it.each([
    ['no JSON', 'hello'],
    ['another document', '{"a":1}'],
    ['a list', '[]'],
    ['an unknown field', JSON.stringify({ ...buildKitObject(), more: 1 })],
    ['a gateway over plain HTTP', JSON.stringify({ ...buildKitObject(), gatewayUrl: 'http://gw.example.com' })],
    ['a gateway with a user in it', JSON.stringify({ ...buildKitObject(), gatewayUrl: 'https://a:b@gw.example.com' })],
    ['a key with a space', JSON.stringify({ ...buildKitObject(), key: `${keyText} x` })],
    ['a key other than the one that is shown', JSON.stringify({ ...buildKitObject(), key: `${keyText}x` })],
    ['a model code with a line break', JSON.stringify({ ...buildKitObject(), models: ['a\nb'] })],
    ['a model code that reads as another', JSON.stringify({ ...buildKitObject(), models: ['aurora\u202egnis'] })],
    ['a plan whose name is not seen', JSON.stringify({ ...buildKitObject(), planName: '\u200b\u2060' })],
    ['a path for a tool', JSON.stringify({ ...buildKitObject(), toolIds: ['../../x'] })],
    ['201 models', JSON.stringify({ ...buildKitObject(), models: Array.from({ length: 201 }, (_, n) => `m${n}`) })],
    ['no acknowledgement', JSON.stringify({ ...buildKitObject(), acknowledgement: undefined })],
  ])('is refused without repeating the key when it is %s', (_, text) => {
    const refusal = catchRefusal(text)
    expect(refusal).toMatchObject({ failure: { code: 'handout.unreadable' } })
    expect(String(refusal)).not.toContain(keyText)
  })

  it('of a newer version is refused with instructions', () => {
    expect(catchRefusal(JSON.stringify({ ...buildKitObject(), version: 3, news: true }))).toMatchObject({
      message: expect.stringContaining('Update the app'),
    })
  })
})

function catchRefusal(text: string): unknown {
  try {
    return readKit(text)
  } catch (error) {
    return error
  }
}
