import { expect, test } from 'vitest'
import { createKeyFinder, deriveSecret } from '../../../../src/sandbox/state/store'
import { plainWorld } from '../plain-world'

const seed = 'ef'.repeat(32)
const world = plainWorld(seed, 0)

test('a secret has a fixed form, is the same for the same seed and id, and differs otherwise', () => {
  const secret = deriveSecret(seed, 'key-pro-default')
  expect(secret).toMatch(/^sk-sandbox-[0-9a-f]{40}$/)
  expect(deriveSecret(seed, 'key-pro-default')).toBe(secret)
  expect(new Set([secret, deriveSecret(seed, 'other'), deriveSecret('00'.repeat(32), 'key-pro-default')]).size).toBe(3)
})

test('every key is found by its secret, including added ones and those of a new seed', () => {
  const findKeyId = createKeyFinder()
  for (const { keyId } of world.keys) expect(findKeyId(world, deriveSecret(seed, keyId))).toBe(keyId)
  const [firstKey] = world.keys
  const worldWithKey = { ...world, keys: [...world.keys, ...(firstKey ? [{ ...firstKey, keyId: 'added' }] : [])] }
  expect(findKeyId(worldWithKey, deriveSecret(seed, 'added'))).toBe('added')
  expect(findKeyId(world, deriveSecret(seed, 'added'))).toBeUndefined()
  const reseededWorld = { ...world, seed: '12'.repeat(32) }
  expect(findKeyId(reseededWorld, deriveSecret(seed, 'key-pro-default'))).toBeUndefined()
  expect(findKeyId(reseededWorld, deriveSecret(reseededWorld.seed, 'key-pro-default'))).toBe('key-pro-default')
})
